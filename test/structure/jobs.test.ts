// Loops that wake by themselves are jobs (src/std/job.ts). Whatever else repeats is named here with
// the reason why it is none; the list shrinks.
import { expect, it } from 'vitest';
import { readModules } from './source-tree.js';

const exceptions: Readonly<Record<string, string>> = {
  'src/api/node-server.ts': 'looks at open connections while there are any',
  'src/areas/live/live-hub.ts': 'beats of the streams that are open',
  'src/broker/keep-alive.ts': 'beats while one message is dealt with',
  'src/placement/peer/peer-socket.ts': 'pings of one open connection',
  'src/placement/topic-notices.ts': 'sends what was collected, once',
  'src/redis/client.ts': 'gives one attempt to connect up',
  'src/redis/local-store.ts': 'watches the process of the private Redis, also while it is away',
  'src/sandbox/script-worker.ts': 'in a thread of its own, of which no node knows',
  'src/system-task/heavy/heavy-work.ts': 'watches one piece of work in a thread',
  'src/system-task/outbound-socket.ts': 'watches one connection',
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

it('nothing but the supervisor of jobs arms a repeating timer', () => {
  const repeating = readModules('src')
    .filter(({ path }) => path !== 'src/std/periodic-loop.ts')
    .filter(({ text }) => ways.some((way) => way.test(text)))
    .map(({ path }) => path);
  expect(repeating).toEqual(Object.keys(exceptions));
});
