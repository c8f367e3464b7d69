// The long form of the torture test: `npm run torture -- [--kills 200] [--seed N] [--in-flight 0.6]
// [--victims node,redis,both] [--processes 2] [--evidence DIR]` for one node with its own Redis;
// `npm run torture -- --nodes 3 [--redis single|sentinel|cluster] [--kills 1000] [--seed N]
// [--faults reshard,kill] [--evidence DIR]` for a cluster. With `--redis-url URL [--prefix NAME]`
// in place of `--redis` the cluster uses a Redis of yours, where only its nodes and their links are
// harmed, and where the keys of that prefix are removed at the end. `--redis-server valkey-server`
// starts that program in place of redis-server, and `--node-args=--wait-aof` sets up the nodes. The
// seed draws the faults unless they are named: then these come in their order, again and again. A
// failing run of a cluster is kept as a file, which `npm run torture -- --replay FILE` judges
// again. Exits with 1 on any violation.
import { readOptions } from '../../bin/lib/options.mjs';
import type { GivenRedisSettings } from '../../cluster/given-redis.js';
import { topologyKinds, type TopologyKind } from '../../cluster/redis-topologies.js';
import { describeClusterTorture, runClusterTorture } from './cluster-torture.js';
import { judgeHistory, readHistory } from './history.js';
import type { KillRecord } from './journal.js';
import { describeTorture, runTorture } from './torture.js';

const values = readOptions({
  command: 'npm run torture --',
  about: 'Kills parts of a server or of a cluster under load and judges what is left.',
  options: {
    kills: { type: 'integer', default: 200, about: 'kills of one node or its Redis, or faults' },
    seed: { type: 'integer', about: 'draws the faults; else another one each time' },
    'in-flight': { type: 'fraction', default: 0.6, about: 'share of kills with a write under way' },
    processes: { type: 'integer', default: 1, about: 'processes of the server that is killed' },
    open: { type: 'integer', default: 80, about: 'executions that are open at a time' },
    victims: { type: 'string', default: 'node,redis,both', about: 'what is killed' },
    evidence: { type: 'string', about: 'folder where a failing run is kept' },
    nodes: { type: 'integer', about: 'a cluster of so many nodes; else one node' },
    redis: { type: 'string', default: 'single', oneOf: topologyKinds, about: 'its Redis' },
    'redis-server': { type: 'string', about: 'its program, such as valkey-server' },
    'node-args': { type: 'string', about: 'further arguments of every node of a cluster' },
    'redis-url': { type: 'string', about: 'a Redis of yours in its place' },
    prefix: { type: 'string', about: 'what its keys start with there; else a name of the run' },
    faults: { type: 'string', about: 'faults to cause in turn; else drawn from all' },
    replay: { type: 'string', about: 'file of a kept run to judge again' },
  },
});

const seed = values.seed ?? Date.now() % 1_000_000;
const openMax = values.open;
const say = (text: string): void => void process.stdout.write(`${text}\n`);

async function tortureNode(): Promise<number> {
  const options = {
    ...{ seed, openMax, say, withSideLoads: true },
    kills: values.kills,
    processes: values.processes,
    inFlightShare: values['in-flight'],
    victims: values.victims.split(',') as KillRecord['victim'][],
    ...(values.evidence === undefined ? {} : { evidenceDir: values.evidence }),
  };
  const report = await runTorture(options);
  say(describeTorture(options, report));
  return report.violations.length;
}

async function tortureCluster(nodes: number): Promise<number> {
  const options = {
    ...{ seed, openMax, say, nodes, redis: redisOfRun() },
    faults: values.kills,
    ...(values.evidence === undefined ? {} : { historyFolder: values.evidence }),
    redisProgram: values['redis-server'],
    nodeArgs: values['node-args']?.split(' ') ?? [],
    ...(values.faults === undefined ? {} : { names: values.faults.split(',') }),
  };
  const run = await runClusterTorture(options);
  say(describeClusterTorture(options, run));
  return run.violations.length;
}

function redisOfRun(): TopologyKind | GivenRedisSettings {
  const { 'redis-url': url, prefix = `torture-${seed}-${process.pid}` } = values;
  if (url !== undefined) return { url, prefix };
  return values.redis;
}

async function replay(file: string): Promise<number> {
  const history = readHistory(file);
  for (const { at, text } of history.faults) say(`${new Date(at).toISOString()} ${text}`);
  const found = await judgeHistory(history);
  say([`seed ${history.seed}: ${found.length} violations`, ...found].join('\n'));
  return found.length;
}

async function run(): Promise<number> {
  if (values.replay !== undefined) return await replay(values.replay);
  say(`seed ${seed}`);
  if (values.nodes !== undefined) return await tortureCluster(values.nodes);
  for (const name of ['redis-url', 'redis-server', 'node-args'] as const) {
    if (values[name] !== undefined) throw new Error(`--${name} needs --nodes`);
  }
  return await tortureNode();
}

process.exitCode = (await run()) === 0 ? 0 : 1;
