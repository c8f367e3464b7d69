// Programs asked of two other implementations as well: the `jq` command, and the Java library that
// Conductor runs. Where they are not installed, a sentence says so. Each difference that is meant
// stands in a table with its reason; one that goes away has to leave the table.
import { execFile, execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tell } from '../support/figures.js';
import { projectRoot } from '../../testkit/project.js';
import { install, installTimeoutMs } from '../support/tool-cache.js';
import { program as randomProgram } from './random-programs.js';
import {
  type Answer,
  canonical,
  ownAnswer,
  type Question,
  questions,
  readAnswers,
  recordedInput,
} from './questions.js';

const run = promisify(execFile);
const outputBytesMax = 64 * 1024 * 1024;
const runTimeoutMs = 60_000;
/** The same in each run: one program in some 10,000 shows jq 1.6 losing results behind `any`. */
const programSeed = Number(process.env['JQ_SEED'] ?? 4711);

type Differences = Readonly<Record<string, string>>;

/** Fails with every question whose answers differ without a reason, or agree in spite of one. */
function expectSame(
  asked: readonly Question[],
  others: readonly Answer[],
  known: Differences,
): void {
  const surprises = asked.flatMap((question, i) => {
    const own = canonical(ownAnswer(question));
    const other = withoutMinusZero(canonical(others[i] as Answer));
    const isMeant = Object.hasOwn(known, question.program);
    return (own === other) === isMeant ? [{ program: question.program, own, other }] : [];
  });
  expect(surprises).toEqual([]);
}

/** jq calculates with doubles and writes -0 into texts; integers have none. */
function withoutMinusZero(answer: string): string {
  return answer.replace(/-0(?![\d.])/g, '0');
}

/** The version of the `jq` command; undefined where there is none. */
function jqVersion(): string | undefined {
  try {
    return execFileSync('jq', ['--version'], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}

/** Questions of one call: each start takes 30 ms, and a program compiles to 64 KB at most. */
const questionsAtOnce = 32;

/** Asks the command in few calls; programs that it does not compile fail. */
async function askJq(asked: readonly Question[]): Promise<Answer[]> {
  if (asked.length > questionsAtOnce) return askHalves(asked);
  try {
    return await askAtOnce(asked);
  } catch (error) {
    if ((error as { code?: unknown }).code !== exitCodeNotCompiled) throw error;
    return asked.length === 1 ? [{ results: [], fails: true }] : askHalves(asked);
  }
}

const exitCodeNotCompiled = 3;

async function askHalves(asked: readonly Question[]): Promise<Answer[]> {
  const middle = Math.ceil(asked.length / 2);
  const first = await askJq(asked.slice(0, middle));
  return [...first, ...(await askJq(asked.slice(middle)))];
}

async function askAtOnce(asked: readonly Question[]): Promise<Answer[]> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'downbeat-jq-'));
  try {
    const program = asked.map(
      (question, i) =>
        `(.[${i}] | try {results: [${question.program}\n], fails: false} catch {results: [], fails: true})`,
    );
    const inputs = asked.map(({ input }) => input);
    fs.writeFileSync(path.join(folder, 'program.jq'), program.join(',\n'));
    fs.writeFileSync(path.join(folder, 'inputs.json'), JSON.stringify(inputs));
    const args = ['-c', '-f', 'program.jq', 'inputs.json'];
    const options = { cwd: folder, maxBuffer: outputBytesMax, timeout: runTimeoutMs };
    return readAnswers((await run('jq', args, options)).stdout);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

const version = jqVersion();
const noJq = 'skipped: there is no jq command here to compare with';
if (version === undefined) tell(noJq);

/** What the command of version 1.6 does not know yet, or does differently than 1.7 and later. */
const changedSinceJq16: Differences = {
  'if . then 1 end': '1.7: `else` may be left out',
  '.a|pick(.[1])': '1.7: pick',
  'pick(.b.x)': '1.7: pick',
  '{ t: .input.t // ".body", m: .input.m // "GET" }': '1.7: operators in values of a map',
  'error(null)': '1.7: an error of null is an error',
  'try error(null) catch .': '1.7: an error of null is an error',
  $__loc__: 'the line within what is asked at once',
  'limit(0; 1,2)': '1.7: a limit of 0 gives nothing',
};

/** What follows the jq of Conductor. */
const asInConductor: Differences = {
  '.tags | join(",")': 'null is joined to the empty text',
  '.name | split(",")': 'an empty text has one part',
};

const options = { timeout: 2 * runTimeoutMs };

describe.skipIf(version === undefined)(`the jq command (${version ?? 'none'})`, options, () => {
  const isOld = version === 'jq-1.6';

  it('answers the same', async () => {
    const known = isOld ? { ...asInConductor, ...changedSinceJq16 } : asInConductor;
    expectSame(questions, await askJq(questions), known);
  });

  it('answers random programs the same', async () => {
    const programs = fc.sample(randomProgram, { numRuns: 400, seed: programSeed });
    const asked = programs.map((program) => ({ program, input: recordedInput }));
    const others = await askJq(asked);
    expectSame(asked, others, {});
    // A generator that produces only what fails would show nothing.
    expect(others.filter(({ fails }) => !fails).length).toBeGreaterThan(100);
  });
});

const javaLibrary = 'jackson-jq-0.0.13';

/** Where the library gives another result than jq. Where it fails it only knows less. */
const javaDifferences: Differences = {
  '[(1,2)+(10,20)]': 'it varies the right side first',
  '"\\(1,2) \\(3,4)"': 'it loses texts in front of a second expression with several results',
  '[paths]': 'it leaves out paths to null',
  '.b|map_values(empty)': 'it gives null instead of deleting',
  '@csv, @tsv': 'it writes null as the word',
  '[nan]|sort': 'it writes NaN as a text',
  'try error(null) catch .': 'its errors are texts',
  '"x" | join(",")': 'it joins a text to nothing',
};

describe('the jq of Conductor', () => {
  it(
    'answers the same where it answers',
    { timeout: installTimeoutMs + runTimeoutMs },
    async ({ skip }) => {
      const sources = path.join(projectRoot, 'test', 'jq', 'java');
      const resolve = ['-q', '-B', '-f', path.join(sources, 'pom.xml')];
      const installed = await install(javaLibrary, (folder) => [
        ['java', '--version'],
        ['mvn', ...resolve, 'dependency:copy-dependencies', `-DoutputDirectory=${folder}`],
      ]);
      if ('missing' in installed) {
        tell(installed.missing);
        return skip(installed.missing);
      }
      const others = await askJava(path.join(installed.folder, '*'), sources);
      const answered = questions.map((question, i) => ({ question, other: others[i] as Answer }));
      const told = answered.filter(({ other }) => !other.fails);
      expectSame(
        told.map(({ question }) => question),
        told.map(({ other }) => other),
        javaDifferences,
      );
      expect(told.length).toBeGreaterThan(150);
    },
  );
});

function askJava(libraries: string, sources: string): Promise<Answer[]> {
  const args = ['-cp', libraries, path.join(sources, 'JacksonJq.java')];
  const options = { maxBuffer: outputBytesMax, timeout: runTimeoutMs };
  return new Promise((resolve, reject) => {
    const child = execFile('java', args, options, (error, stdout) =>
      error === null ? resolve(readAnswers(stdout)) : reject(error),
    );
    child.stdin?.end(questions.map((question) => `${JSON.stringify(question)}\n`).join(''));
  });
}
