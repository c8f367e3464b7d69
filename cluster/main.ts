// `npm run cluster`: starts a real cluster on this machine, shows its state once a second, and
// injects faults by key, or by name over the control socket (`npm run cluster -- --fault kill`).
//   0  stopped by q, SIGINT or SIGTERM
//   1  could not start, or a fault was refused
//   2  an argument cannot be used
import readline from 'node:readline';
import { parseClusterArguments, usage, type ClusterArguments } from './arguments.js';
import { openControl, sendFault } from './control.js';
import { allFaults } from './faults.js';
import { ClusterLoad } from './load.js';
import { LocalCluster } from './local-cluster.js';
import { lineOf, readView, screenOf } from './view.js';

const showEveryMs = 1000;

async function main(): Promise<number> {
  let settings: ClusterArguments;
  try {
    settings = parseClusterArguments(process.argv.slice(2));
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`);
    return 2;
  }
  try {
    if (settings.fault === undefined) await run(settings);
    else console.log(await sendFault(settings.port, settings.fault, settings.node));
    return 0;
  } catch (error) {
    console.error((error as Error).message);
    return 1;
  }
}

async function run(settings: ClusterArguments): Promise<void> {
  console.log(`starting Redis (${settings.redis}) and ${settings.nodes} nodes ...`);
  const cluster = await LocalCluster.start(settings);
  const load = new ClusterLoad(cluster.urls);
  const control = await openControl(cluster, settings.port);
  try {
    if (settings.workers > 0 || settings.load > 0)
      await load.start(settings.workers, settings.load);
    await showUntilStopped(cluster, load);
  } finally {
    await control.close();
    await load.stop();
    await cluster.stop();
  }
}

async function showUntilStopped(cluster: LocalCluster, load: ClusterLoad): Promise<void> {
  const stopped = new Promise<void>((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
    if (process.stdin.isTTY) listenToKeys(cluster, resolve);
  });
  let isRunning = true;
  void stopped.then(() => (isRunning = false));
  let before = load.completedTasks;
  while (isRunning) {
    const tasksPerSecond = load.completedTasks - before;
    before = load.completedTasks;
    show(cluster, load, { view: await readView(cluster), tasksPerSecond });
    await Promise.race([stopped, new Promise((resolve) => setTimeout(resolve, showEveryMs))]);
  }
}

function show(cluster: LocalCluster, load: ClusterLoad, seen: Parameters<typeof lineOf>[2]): void {
  if (!process.stdout.isTTY) {
    console.log(lineOf(cluster, load, seen));
    return;
  }
  readline.cursorTo(process.stdout, 0, 0);
  readline.clearScreenDown(process.stdout);
  process.stdout.write(screenOf(cluster, load, seen).join('\n') + '\n');
}

function listenToKeys(cluster: LocalCluster, stop: () => void): void {
  process.stdin.setRawMode(true);
  process.stdin.on('data', (bytes: Buffer) => {
    const key = bytes.toString();
    // Ctrl-C arrives as a key in raw mode.
    if (key === 'q' || key === '\u0003') return stop();
    const fault = allFaults().find((each) => each.key === key);
    if (fault === undefined) return;
    cluster.cause(fault.name).catch((error: unknown) => {
      const text = `${fault.name} could not be done: ${(error as Error).message}`;
      cluster.faults.push({ at: Date.now(), text });
    });
  });
}

process.exitCode = await main();
process.stdin.unref();
