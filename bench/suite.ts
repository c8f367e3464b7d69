// The suite: every kind of load on a server of its own, one after the other, each beside the floor
// (floor/floor.ts), of which its cost is told as a multiple. With `--compare A B` two built
// checkouts take turns. Figures go to a file as JSON and as HTML. Exits with 1 when a result is
// wrong; never because of a time. `--short` is the form of the build machine: about a second each.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readOptions } from '../bin/lib/options.mjs';
import { ApiClient } from '../testkit/api-client.js';
import { startServer } from '../testkit/server.js';
import type { Found, Sizes, Subject, Workload } from './suite/contract.js';
import { flowWorkloads } from './suite/flows.js';
import { describeRow, htmlOf, machineText, rowOf, type Row } from './suite/report.js';
import { requestWorkloads } from './suite/single-requests.js';
import { standingWorkloads } from './suite/standing.js';

const kilobyte = 1024;
const options = readOptions({
  command: 'npm run bench:suite --',
  about: 'Runs every kind of load beside the floor and writes the figures as JSON and HTML.',
  positional: '[A B]: folders of two built checkouts, for --compare',
  options: {
    short: { type: 'boolean', about: 'small sizes and one run, about a second each' },
    only: { type: 'string', default: '', about: 'workloads whose name holds this' },
    compare: { type: 'boolean', about: 'two checkouts in turns, in place of this one' },
    runs: { type: 'integer', default: 3, about: 'runs of each workload' },
    tasks: { type: 'integer', default: 20_000, about: 'worker tasks of a flow' },
    wide: { type: 'integer', default: 1_000, about: 'branches, rounds, children of an execution' },
    requests: { type: 'integer', default: 2_000, about: 'single requests of a run' },
    searched: { type: 'integer', default: 2_000, about: 'executions that are searched' },
    polls: { type: 'integer', default: 10_000, about: 'polls that are parked' },
    waiting: { type: 'integer', default: 100_000, about: 'executions that wait' },
    schedules: { type: 'integer', default: 1_000, about: 'schedules that are due together' },
    payloads: { type: 'string', default: '1,16,256,10240', about: 'sizes of payloads, KB' },
    out: { type: 'string', default: 'dist/bench', about: 'folder of the figures' },
  },
});

const payloads = options.payloads.split(',').map((text) => Number(text) * kilobyte);
const shortSizes: Sizes = {
  ...{ tasks: 400, wide: 50, requests: 100, searched: 100 },
  ...{ polls: 100, waiting: 300, schedules: 20, payloads },
};
const { tasks, wide, requests, searched, polls, waiting, schedules } = options;
const sizes: Sizes = options.short
  ? shortSizes
  : { tasks, wide, requests, searched, polls, waiting, schedules, payloads };
const runs = options.short ? 1 : options.runs;
const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** One caller sends what many send to a real server. */
const unlimited = ['--webhook-calls-per-second-max', '1000000'];

/** `folder`: of another checkout that has been built; undefined: this one. */
async function open(name: string, folder: string | undefined): Promise<Subject> {
  const program =
    folder === undefined ? {} : { program: [path.join(path.resolve(folder), 'dist', 'main.js')] };
  const server = await startServer({ ...program, args: [...unlimited] });
  const client = new ApiClient(server.url, { requestTimeoutMs: 60_000 });
  return { name, server, client, start: (settings) => startServer({ ...program, ...settings }) };
}

/** The runs of all subjects take turns. */
async function runAll(workload: Workload, subjects: readonly Subject[]): Promise<Row[]> {
  const found = new Map<Subject, Found[]>(subjects.map((subject) => [subject, []]));
  for (let run = 0; run < runs; run++) {
    for (const subject of subjects) {
      found.get(subject)?.push(await runOnce(workload, subject));
    }
  }
  const [first] = subjects;
  const ofFirst = first === undefined ? [] : (found.get(first) ?? []);
  return [...found].map(([{ name }, all]) => rowOf(workload, name, all, ofFirst));
}

/** A load that ends with an error has a wrong result. */
async function runOnce(workload: Workload, subject: Subject): Promise<Found> {
  try {
    return await workload.run(subject, sizes);
  } catch (error) {
    return { figures: {}, wrong: [String(error)] };
  }
}

async function main(): Promise<boolean> {
  const [a, b] = options.arguments;
  if (options.compare !== (b !== undefined)) throw new Error('--compare needs two folders: A B');
  const workloads = [...flowWorkloads(sizes), ...requestWorkloads, ...standingWorkloads].filter(
    ({ name }) => name.includes(options.only),
  );
  if (workloads.length === 0) throw new Error(`no workload's name holds '${options.only}'`);
  const machine = machineText();
  say(machine);
  const subjects: Subject[] = [];
  const rows: Row[] = [];
  try {
    if (options.compare) subjects.push(await open(`A ${a}`, a), await open(`B ${b}`, b));
    else subjects.push(await open('this build', undefined));
    for (const [index, workload] of workloads.entries()) {
      say(`[${index + 1}/${workloads.length}] ${workload.name}: ${workload.about}`);
      for (const row of await runAll(workload, subjects)) {
        rows.push(row);
        say(`  ${row.subject}: ${describeRow(row)}`);
      }
    }
  } finally {
    for (const { client, server } of subjects) {
      await client.close();
      await server.stop();
    }
  }
  const day = new Date().toISOString().slice(0, 10);
  const command = ['npm run bench:suite --', ...process.argv.slice(2)].join(' ');
  const report = { day, machine, node: process.version, command, sizes, rows };
  mkdirSync(options.out, { recursive: true });
  writeFileSync(path.join(options.out, 'suite.json'), `${JSON.stringify(report, null, 2)}\n`);
  writeFileSync(path.join(options.out, 'suite.html'), htmlOf(report));
  const wrong = rows.filter((row) => row.wrong.length > 0).map(({ workload }) => workload);
  say(`figures: ${path.join(options.out, 'suite.html')} and suite.json`);
  say(wrong.length === 0 ? 'all results are right' : `wrong results: ${wrong.join(', ')}`);
  return wrong.length === 0;
}

process.exitCode = (await main()) ? 0 : 1;
