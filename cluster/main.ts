// `npm run cluster`: starts a real cluster on this machine, shows its state once a second, and
// injects faults by key, or by name over the control socket (`npm run cluster -- --fault kill`).
//   0  stopped by q, Ctrl-C, SIGINT, SIGTERM or SIGHUP
//   1  could not start, or a fault was refused
//   2  an argument cannot be used
import { readClusterArguments, type ClusterArguments } from './arguments.js';
import { openControl, sendFault } from './control.js';
import { faultOf, faultOfKey } from './faults.js';
import { ClusterLoad } from './load.js';
import { LocalCluster } from './local-cluster.js';
import { pause } from '../testkit/until.js';
import { refuseTakenPorts } from './ports.js';
import { StopRequest } from './stop-request.js';
import { LiveScreen, LogLines } from './view.js';

const showEveryMs = 1000;

async function main(): Promise<number> {
  const settings = readClusterArguments();
  const refusal = settings.fault === undefined ? undefined : whyNoFault(settings.fault);
  if (refusal !== undefined) {
    console.error(refusal);
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

/** A sentence about the name of a fault; undefined: there is one of the name. */
function whyNoFault(name: string): string | undefined {
  try {
    faultOf(name);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

async function run(settings: ClusterArguments): Promise<void> {
  const stop = new StopRequest();
  try {
    await refuseTakenPorts(settings.port, settings.nodes);
    console.log(`starting Redis (${settings.redis}) and ${settings.nodes} nodes ...`);
    const cluster = await LocalCluster.start({
      ...settings,
      redisProgram: settings['redis-server'],
    });
    try {
      await serveUntilStopped(cluster, settings, stop);
    } finally {
      await cluster.stop();
    }
  } finally {
    stop.close();
  }
}

async function serveUntilStopped(
  cluster: LocalCluster,
  { port, workers, load: perSecond }: ClusterArguments,
  stop: StopRequest,
): Promise<void> {
  const load = new ClusterLoad(cluster.urls);
  const control = await openControl(cluster, port);
  try {
    if (workers > 0 || perSecond > 0) await load.start(workers, perSecond);
    await showUntilStopped(cluster, load, stop);
  } finally {
    await control.close();
    await load.stop();
  }
}

async function showUntilStopped(
  cluster: LocalCluster,
  load: ClusterLoad,
  stop: StopRequest,
): Promise<void> {
  const screen = process.stdout.isTTY ? new LiveScreen(cluster, load) : new LogLines(cluster, load);
  stop.onKey((key) => {
    const fault = faultOfKey(key);
    if (fault === undefined) return;
    cluster.cause(fault.name).catch((error: unknown) => {
      screen.say(`${fault.name} could not be done: ${(error as Error).message}`);
    });
  });
  while (!stop.isAsked) {
    await screen.show();
    await Promise.race([stop.asked, pause(showEveryMs)]);
  }
  screen.say('stopping all nodes and Redis ...');
}

process.exitCode = await main();
