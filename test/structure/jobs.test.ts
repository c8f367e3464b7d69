// Loops that wake by themselves are jobs (src/std/job.ts). Whatever else repeats is named here with
// the reason why it is none; the list shrinks.
import ts from 'typescript';
import { expect, it } from 'vitest';
import { readModules } from './source-tree.js';

const exceptions: Readonly<Record<string, string>> = {
  'src/api/last-requests.ts': 'waits at a stop for the last requests',
  'src/api/node-server.ts': 'looks at open connections while there are any',
  'src/areas/bulk-jobs/bulk-job-drive.ts': 'keeps the pace of one bulk job',
  'src/areas/bulk-jobs/bulk-job-runner.ts': 'begins one bulk job again',
  'src/areas/events/consume/broker-consumer.ts': 'connects to one broker again',
  'src/areas/live/live-hub.ts': 'beats of the streams that are open',
  'src/areas/schedules/scheduler.ts': 'wakes when the next schedule is due',
  'src/broker/keep-alive.ts': 'beats while one message is dealt with',
  'src/object-store/s3-store.ts': 'repeats one request',
  'src/operation/protection/keyspace-protection.ts': 'waits at a start for older nodes',
  'src/operation/records/change-record.ts': 'repeats one write that another one overtook',
  'src/placement/peer/peer-links.ts': 'connects to one lost node again',
  'src/placement/peer/peer-socket.ts': 'pings of one open connection',
  'src/placement/placement.ts': 'turns follow events; `trouble` tells when they fail',
  'src/placement/topic-notices.ts': 'sends what was collected, once',
  'src/queue/poll-ends.ts': 'wakes when the next poll ends',
  'src/queue/queue-supply.ts': 'reads one queue again whose read failed',
  'src/queue/queue-writer.ts': 'repeats one write that failed',
  'src/redis/client.ts': 'gives one attempt to connect up, and repeats it',
  'src/redis/cluster-route.ts': 'repeats one call while slots move',
  'src/redis/loading-watch.ts': 'asks a store that loads its file, until it has',
  'src/redis/local-store.ts': 'watches the process of the private Redis, also while it is away',
  'src/sandbox/worker-pool.ts': 'wakes when a quota lets the next script run',
  'src/server/processes/member.ts': 'starts one process again, in the supervisor',
  'src/server/test-auto-clock.ts': 'moves the clock of a test server',
  'src/server/test-time.ts': 'waits until a test server rests',
  'src/shard/activation.ts': 'loads one execution again',
  'src/shard/execution-host.ts': 'waits for one hand-over',
  'src/shard/execution-timers.ts': 'wakes when the next timer is due',
  'src/shard/message-delivery.ts': 'delivers one message again',
  'src/std/end-with-parent.ts': 'in a thread of its own, of which no node knows',
  'src/std/thread-turns.ts': 'leaves the thread free behind one piece of work',
  'src/system-task/isolated/isolated-jobs.ts': 'watches one piece of work in a thread',
  'src/system-task/outbound-socket.ts': 'watches one connection',
  'src/system-task/run-limits.ts': 'waits for the place of one run',
  'src/system-task/system-task-runner.ts': 'repeats one report',
  'src/telemetry/loop-lag.ts': 'measures the event loop, which a job waits for',
  'src/telemetry/watchdog-thread.ts': 'in a thread of its own, which watches the event loop',
  'src/telemetry/watchdog.ts': 'beats for the thread that watches the event loop',
  'src/test-server.ts': 'watches for the end of the process that started a test server',
};

/** An interval, and a timer that arms itself again from its own callback. */
const ways = [
  /\bsetInterval\(/,
  /\.after\(\s*(?:this\.)?[\w.]*[eE]very\w*/,
  /\.after\([^;]*?\.finally\(\(\) => this\.#arm/,
];
/** Calls that wait in a loop. */
const pausing = /^(?:sleep|setTimeout|#?pause|.*\.after)$/;
/** Calls that arm a timer. */
const arming = /^(?:setTimeout|.*\.after)$/;

it('nothing but the supervisor of jobs arms a repeating timer', { timeout: 60_000 }, () => {
  const repeating = readModules('src')
    .filter(({ path }) => path !== 'src/std/periodic-loop.ts')
    .filter(({ path, text }) => ways.some((way) => way.test(text)) || repeats(path, text))
    .map(({ path }) => path);
  expect(repeating).toEqual(Object.keys(exceptions));
});

it('a loop with a pause, and a method or function that arms itself again, are found', () => {
  const repeating = (code: string): boolean => repeats('a.ts', code);
  expect(repeating('async function a() { while (!over) { turn(); await sleep(clock, 5); } }')).toBe(
    true,
  );
  const method = (call: string): string =>
    `class A { #turn() { this.#clock.after(5, () => this.#${call}()); } #other() { this.#turn(); } }`;
  expect(repeating(method('turn'))).toBe(true);
  expect(repeating(method('other'))).toBe(true);
  expect(repeating(method('end'))).toBe(false);
  expect(repeating('function turn() { setTimeout(() => { work(); turn(); }, 5); }')).toBe(true);
  expect(repeating('const turn = () => { clock.after(5, turn); };')).toBe(true);
  expect(repeating('const turn = () => { clock.after(5, end); };')).toBe(false);
});

/**
 * Whether a loop of the module pauses, or a timer calls the method or the function that armed it.
 */
function repeats(path: string, text: string): boolean {
  if (!/\b(?:sleep|setTimeout|after|pause)\(/i.test(text)) return false;
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true);
  return nodesBelow(source).some(
    (node) =>
      (ts.isIterationStatement(node, false) &&
        callsIn(node.statement).some((name) => pausing.test(name))) ||
      (ts.isClassDeclaration(node) && hasMethodThatRearms(node)) ||
      rearms(node),
  );
}

/** Whether it is a named function whose timer calls the function again. */
function rearms(node: ts.Node): boolean {
  const named =
    ts.isFunctionDeclaration(node) ||
    (ts.isVariableDeclaration(node) &&
      node.initializer !== undefined &&
      ts.isArrowFunction(node.initializer));
  const name = named ? node.name?.getText() : undefined;
  if (name === undefined || !/\b(?:setTimeout|after)\(/.test(node.getText())) return false;
  return nodesBelow(node)
    .filter(ts.isCallExpression)
    .filter((call) => arming.test(calledName(call)))
    .some(({ arguments: given }) =>
      given.some((each) => each.getText() === name || callsIn(each).includes(name)),
    );
}

function hasMethodThatRearms({ members }: ts.ClassDeclaration): boolean {
  const methods = new Map(
    members.filter(ts.isMethodDeclaration).map((method) => [method.name.getText(), method]),
  );
  return [...methods].some(([name, method]) =>
    callbacksOfTimers(method).some((callback) => reached(callsIn(callback), methods).has(name)),
  );
}

/** Names of methods that calls lead to, directly or by other methods of the class. */
function reached(
  calls: readonly string[],
  methods: ReadonlyMap<string, ts.MethodDeclaration>,
): Set<string> {
  const found = new Set<string>();
  const left = [...calls];
  for (let name = left.pop(); name !== undefined; name = left.pop()) {
    const method = methods.get(name);
    if (method === undefined || found.has(name)) continue;
    found.add(name);
    left.push(...callsIn(method));
  }
  return found;
}

function callbacksOfTimers(method: ts.Node): ts.Node[] {
  return nodesBelow(method)
    .filter(ts.isCallExpression)
    .filter((call) => arming.test(calledName(call)))
    .flatMap((call) => call.arguments.filter(ts.isArrowFunction));
}

function callsIn(node: ts.Node): string[] {
  return nodesBelow(node).filter(ts.isCallExpression).map(calledName);
}

/** `this.` is left out. */
function calledName({ expression }: ts.CallExpression): string {
  return expression.getText().replace(/^this\./, '');
}

function nodesBelow(node: ts.Node): ts.Node[] {
  const found: ts.Node[] = [node];
  ts.forEachChild(node, (child) => void found.push(...nodesBelow(child)));
  return found;
}
