// Side by side with others of the field (`npm run bench:peers -- --help`): the same chains of five,
// in turns, results checked. `--setup` alone installs peers, into ~/.cache/downbeat/peers; what is
// not there is left out with a sentence. Exits with 1 when a result is wrong.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readOptions } from '../bin/lib/options.mjs';
import { newEnoughJava } from '../testkit/reference-server.js';
import { startBullmq } from './peers/bullmq.js';
import { peersFolder, type Peer, type PeerRun } from './peers/contract.js';
import { startConductor, startDownbeat } from './peers/http-peer.js';
import { hasRestate, startRestate } from './peers/restate.js';
import { peerHtml, peerLines, type PeerFigures } from './peers/table.js';
import { machineText } from './suite/report.js';

const conductorVersion = '3.32.3';
const packages = ['bullmq@5', '@restatedev/restate-server@1.7', '@restatedev/restate-sdk@1.17'];
const options = readOptions({
  command: 'npm run bench:peers --',
  about: 'Measures chains of five on this server and on others, in turns.',
  options: {
    setup: { type: 'boolean', about: 'installs the peers first (npm, Maven; 500 MB)' },
    only: {
      type: 'string',
      someOf: ['conductor', 'restate', 'bullmq'],
      default: 'conductor,restate,bullmq',
      about: 'peers beside this server',
    },
    runs: { type: 'integer', default: 3, about: 'runs of each' },
    executions: { type: 'integer', default: 1_000, about: 'of a run; a tenth for Conductor' },
    window: { type: 'integer', default: 200, about: 'executions that are open at a time' },
    alone: { type: 'integer', default: 20, about: 'executions of the runs one at a time' },
    java: {
      type: 'string',
      default: '',
      about: 'program of Java 21 or later, for Conductor; without it one is looked for',
    },
    out: { type: 'string', default: 'dist/bench', about: 'folder of the figures' },
  },
});
const java = options.java === '' ? (newEnoughJava() ?? '') : options.java;
const jar = path.join(peersFolder, `conductor-server-${conductorVersion}-boot.jar`);
const say = (text: string): void => void process.stdout.write(`${text}\n`);

function setUp(): void {
  mkdirSync(peersFolder, { recursive: true });
  const run = (command: string, args: string[]): void => {
    say(`${command} ${args.join(' ')}`);
    spawnSync(command, args, { cwd: peersFolder, stdio: 'inherit' });
  };
  writeFileSync(path.join(peersFolder, 'package.json'), '{"private":true}\n');
  run('npm', ['install', '--no-audit', '--no-fund', ...packages]);
  const artifact = `org.conductoross:conductor-server:${conductorVersion}:jar:boot`;
  run('mvn', [
    '-q',
    'dependency:copy',
    `-Dartifact=${artifact}`,
    `-DoutputDirectory=${peersFolder}`,
  ]);
}

async function startPeers(): Promise<Peer[]> {
  const peers = [await startDownbeat()];
  const wanted = options.only.split(',');
  const missing = (name: string): void => say(`${name} is left out: it is not installed (--setup)`);
  try {
    if (wanted.includes('bullmq')) {
      const isThere = existsSync(path.join(peersFolder, 'node_modules', 'bullmq'));
      if (isThere) peers.push(await startBullmq());
      else missing('BullMQ');
    }
    if (wanted.includes('restate')) {
      if (hasRestate()) peers.push(await startRestate());
      else missing('Restate');
    }
    if (wanted.includes('conductor')) {
      if (!existsSync(jar)) missing('Conductor');
      else if (java === '') say('Conductor is left out: no Java 21 or later was found');
      else peers.push(await startConductor(java, jar));
    }
  } catch (error) {
    for (const peer of peers) await peer.stop();
    throw error;
  }
  return peers;
}

/** Conductor takes a task some thirty times as long. */
function executionsOf({ name }: Peer): number {
  return name === 'Conductor' ? Math.ceil(options.executions / 10) : options.executions;
}

async function measureAll(peers: readonly Peer[]): Promise<PeerFigures[]> {
  const { window, alone, runs } = options;
  const figures = peers.map(({ name, settings }) => ({
    ...{ name, settings },
    loaded: [] as PeerRun[],
    alone: [] as PeerRun[],
  }));
  for (const peer of peers) await peer.run({ executions: executionsOf(peer), window });
  for (let run = 0; run < runs; run++) {
    for (const [i, peer] of peers.entries()) {
      const loaded = await peer.run({ executions: executionsOf(peer), window });
      const one = await peer.run({ executions: alone, window: 1 });
      figures[i]?.loaded.push(loaded);
      figures[i]?.alone.push(one);
      say(
        `run ${run + 1}, ${peer.name}: ${((loaded.tasks * 1000) / loaded.elapsedMs).toFixed(0)} ` +
          `tasks/s; a task: server ${loaded.serverUs.toFixed(0)}, Redis ` +
          `${loaded.redisUs.toFixed(0)}, clients ${loaded.clientUs.toFixed(0)} us; alone ` +
          `${(one.elapsedMs / one.tasks).toFixed(2)} ms a step`,
      );
    }
  }
  return figures;
}

async function main(): Promise<boolean> {
  if (options.setup) setUp();
  const machine = machineText();
  say(machine);
  const peers = await startPeers();
  try {
    const figures = await measureAll(peers);
    const wrong = figures.flatMap(({ name, loaded, alone }) =>
      [...loaded, ...alone].flatMap((run) => run.wrong.map((text) => `${name}: ${text}`)),
    );
    const lines = peerLines(figures);
    for (const line of lines) say(line);
    const day = new Date().toISOString().slice(0, 10);
    const told = [
      `${day}. ${machine}`,
      ...peers.map(({ name, settings }) => `${name}: ${settings}.`),
    ];
    mkdirSync(options.out, { recursive: true });
    writeFileSync(path.join(options.out, 'peers.html'), peerHtml(figures, told));
    writeFileSync(
      path.join(options.out, 'peers.json'),
      `${JSON.stringify({ told, figures }, null, 2)}\n`,
    );
    for (const text of wrong.slice(0, 20)) say(`WRONG: ${text}`);
    say(wrong.length === 0 ? 'all results are right' : `${wrong.length} results are wrong`);
    return wrong.length === 0;
  } finally {
    for (const peer of peers) await peer.stop();
  }
}

process.exitCode = (await main()) ? 0 : 1;
