// Every verb of the packed command, taken from the command's own list, so that a new one is tried
// without anybody remembering: misspelt, without what it needs, before a server that is away or
// lacks every route, and before one that knows nothing of what is named. In pipes with and without
// `--json`, and in pseudo-terminals with and without NO_COLOR.
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildProgram } from '../../../cli/program.js';
import { hasScript, PackedCommand } from '../../support/command.js';
import { freePort } from '../../../testkit/process.js';
import { startServer, type RunningServer } from '../../../testkit/server.js';

interface Verb {
  readonly name: string;
  /** With something for whatever has to be named. */
  readonly call: readonly string[];
  /** How many arguments it has to get, and may get. */
  readonly needs: number;
  readonly takes: number;
  /** An own option of it, or one that all have. */
  readonly option: string;
}

interface Told {
  readonly code: number | null | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** Verbs whose words another programme reads: their own tests show what it refuses. */
const passing = /^(start|test-server|cluster|fsck|admin|bench|torture)$/;
/** Verbs that ask no server of this API, or whose answer is what they found of it. */
const local = /^(doctor|backup|restore|plugin .*|proxy|convert|profile .*|completion)$/;
/** Verbs that work until they are stopped, or ask a registry. */
const endless = /^(proxy|worker run|plugin (add|remove))$/;
/** Refused before it asks a server, for want of a value: a thread has no file to read one from. */
const valueless = /^secret set$/;
/** Words that stand for what is known when the server runs. */
const [folderWord, sourceWord, freshWord] = ['THE-FOLDER', 'THE-SOURCE', 'A-FRESH-FOLDER'];
/** What stands for an argument of this name; for any other it is `none-such`. */
const given: Readonly<Record<string, string>> = {
  dir: folderWord,
  'export dir': freshWord,
  cron: '0 0 9 * * *',
  email: 'a@example.org',
};
/** What a verb needs besides its arguments before it asks a server. */
const besides: Readonly<Record<string, readonly string[]>> = {
  import: ['--from', sourceWord, '--dry-run'],
  'worker run': ['--js', 'input => input'],
};
/** Verbs that try again for half a minute say so first. */
const isPatient = /Trying again for 30 s|^\S+ polls [^]* cannot be reached/;
const stack = /^ {4}at /m;
const escape = '\u001b';
const atOnce = 4;

const verbs = leavesOf(
  buildProgram({
    contextOf: () => {
      throw new Error('nothing is run here');
    },
    words: () => [],
    exit: () => undefined,
  }),
);
const asking = verbs.filter(({ name }) => !local.test(name) && !valueless.test(name));
const ending = verbs.filter(({ name }) => !endless.test(name));

function leavesOf(command: Command, before: readonly string[] = []): Verb[] {
  return command.commands.flatMap((each) => {
    const words = [...before, each.name()];
    const name = words.join(' ');
    if (each.commands.length > 0) return leavesOf(each, words);
    if (name.startsWith('__') || passing.test(name)) return [];
    const required = each.registeredArguments.filter((argument) => argument.required);
    const named = required.map(
      (argument) => given[`${name} ${argument.name()}`] ?? given[argument.name()] ?? 'none-such',
    );
    const own = each.options.map(({ long }) => long ?? '');
    const agrees = own.includes('--yes') ? ['--yes'] : [];
    const scope = own.includes('--workflow') ? ['--workflow', 'none-such'] : [];
    return {
      name,
      call: [...words, ...named, ...(besides[name] ?? [...agrees, ...scope])],
      needs: required.length,
      takes: each.registeredArguments.length,
      option: own[0] ?? '--server',
    };
  });
}

let server: RunningServer;
let downbeat: PackedCommand;
let lacking: http.Server;
/** What was asked of the server that lacks every route. */
const asked: string[] = [];

beforeAll(async () => {
  server = await startServer();
  downbeat = new PackedCommand(server.url);
  const folder = path.join(downbeat.folder, 'definitions', 'tasks');
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, 'x.json'), JSON.stringify({ name: 'x', retryCount: 1 }));
  lacking = http.createServer(({ method = '', url = '' }, answer) => {
    asked.push(`${method} ${url}`);
    const refusal = JSON.stringify({ status: 404, error: 'Not Found', path: url });
    answer.writeHead(404, { 'content-type': 'application/json' }).end(refusal);
  });
  await new Promise<void>((resolve) => lacking.listen(0, '127.0.0.1', resolve));
  // The first call that ends well keeps the compiled code for all others.
  expect(await downbeat.run(['profile', 'list'])).toMatchObject({ code: 0 });
}, 180_000);
afterAll(async () => {
  lacking.close();
  downbeat.remove();
  await server.stop();
});

const lackingUrl = (): string => `http://127.0.0.1:${(lacking.address() as AddressInfo).port}`;

/** The words of a call, and a place of its own for what it stores. */
function callOf({ name, call }: Verb): [args: string[], env: NodeJS.ProcessEnv] {
  const own = path.join(downbeat.folder, 'places', name);
  const words: Readonly<Record<string, string>> = {
    [folderWord]: path.join(downbeat.folder, 'definitions'),
    [sourceWord]: server.url,
    [freshWord]: path.join(own, 'exported'),
  };
  return [call.map((word) => words[word] ?? word), { XDG_CONFIG_HOME: own }];
}

/** Runs each verb, a few at once; what is wrong with any is told at the end, all together. */
async function tell(
  all: readonly Verb[],
  wrongOf: (verb: Verb, args: string[], env: NodeJS.ProcessEnv) => Promise<string | undefined>,
): Promise<string[]> {
  const left = [...all];
  const wrong: string[] = [];
  const work = async (): Promise<void> => {
    for (let verb = left.shift(); verb !== undefined; verb = left.shift()) {
      const sentence = await wrongOf(verb, ...callOf(verb));
      if (sentence !== undefined) wrong.push(`${verb.name}: ${sentence}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return wrong;
}

/** undefined: the call ended with one of the codes, said why, and printed no result. */
function refusalOf({ code, stdout, stderr }: Told, codes: readonly unknown[], why: RegExp) {
  const isRefusal = codes.includes(code) && stdout === '' && why.test(stderr);
  return isRefusal && !stack.test(stderr) ? undefined : shown({ code, stdout, stderr });
}

function shown({ code, stdout, stderr }: Told): string {
  return `${String(code)}, out: ${stdout.slice(0, 300)}, err: ${stderr.slice(0, 300)}`;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('every verb', { timeout: 180_000 }, () => {
  it('is refused with a misspelt option, and the nearest one is named', async () => {
    const wrong = await tell(verbs, async ({ option }, args) => {
      const ran = await downbeat.inThread([...args, `${option}e`]);
      const sentence = `unknown option '${option}e'\\s+\\(Did you mean .*${option}`;
      return refusalOf(ran, [2], new RegExp(sentence));
    });
    expect(wrong).toEqual([]);
  });

  it('is refused without what it needs or with too much, and asks nothing', async () => {
    asked.length = 0;
    const env = { CONDUCTOR_SERVER_URL: lackingUrl() };
    const wrong = await tell(verbs, async ({ name, needs, takes }) => {
      const surplus = Array.from({ length: needs > 0 ? 0 : takes + 1 }, () => 'surplus');
      const ran = await downbeat.inThread([...name.split(' '), ...surplus], { env });
      return refusalOf(ran, [2], needs > 0 ? /missing required argument/ : /too many arguments/);
    });
    expect(wrong).toEqual([]);
    expect(asked).toEqual([]);
  });

  it('says that the server is away', async () => {
    const away = { CONDUCTOR_SERVER_URL: `http://127.0.0.1:${await freePort()}` };
    const wrong = await tell(asking, async (_, args, own) => {
      const ran = await downbeat.inThread(args, { env: { ...own, ...away }, until: isPatient });
      return refusalOf(ran, [3, undefined], /cannot be reached \(.*\): start a server there/);
    });
    expect(wrong).toEqual([]);
  });

  it('says which route or part a server lacks', async () => {
    const env = { CONDUCTOR_SERVER_URL: lackingUrl() };
    const wrong = await tell(asking, async ({ name }, args, own) => {
      const swapped = args.map((word) => (word === server.url ? lackingUrl() : word));
      const words = name === 'import' ? [...swapped, '--server', server.url] : args;
      const ran = await downbeat.inThread([...words, '--json'], {
        env: { ...own, ...env },
        until: isPatient,
      });
      return refusalOf(ran, [1, 2, 5], /has no |There is no /);
    });
    expect(wrong).toEqual([]);
  });

  it('answers with JSON alone, or says why it did not', async () => {
    const wrong = await tell(ending, async (_, args, env) => {
      const ran = await downbeat.inThread([...args, '--json'], { env, until: isPatient });
      const isAnswer = [0, 1].includes(ran.code ?? -1) && isJson(ran.stdout);
      if (isAnswer && !ran.stderr.includes(escape) && !stack.test(ran.stderr)) return undefined;
      return refusalOf(ran, [1, 2, 3, 4, 5], /^\S+( \S+){2}/m);
    });
    expect(wrong).toEqual([]);
  });

  it.runIf(hasScript())('is plain in a terminal with NO_COLOR, and ends as in a pipe', async () => {
    const wrong = await tell(ending, async (_, args, env) => {
      const piped = await downbeat.inThread(args, { env, until: isPatient });
      const program = downbeat.inTerminal(args, { ...env, NO_COLOR: '1' });
      const { code } = await program.ended;
      const text = program.output();
      const isPlain = !/\u001b\[[0-9;]*m/.test(text) && !stack.test(text);
      if (isPlain && code === piped.code && !(piped.stdout + piped.stderr).includes(escape)) return;
      return `${String(code)}, ${text} | ${shown(piped)}`;
    });
    expect(wrong).toEqual([]);
  });
});
