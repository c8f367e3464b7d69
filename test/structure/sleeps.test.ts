// Tests wait for conditions, not for times. Those that still sleep are named; the list shrinks.
import { expect, it } from 'vitest';
import { filesBelow, readProjectFile } from './source-tree.js';

const sleepers = [
  'test/cluster/search-agreement.test.ts',
  'test/limits/store-limits.test.ts',
  'test/queue/poll-hub.test.ts',
  'test/sdk/javascript-sdk-workers.test.ts',
  'test/server/clock-jump.test.ts',
  'test/server/schedules/kills.test.ts',
  'test/server/script-attacks.test.ts',
  'test/shard/execution-host.test.ts',
  'test/startup/end.test.ts',
  'test/startup/processes.test.ts',
  'test/telemetry/metrics.test.ts',
  'test/timers/timers.test.ts',
  'test/torture/watchdog.test.ts',
  'test/ui/budgets.test.ts',
  'test/ui/details.test.ts',
];

const ways = [
  /import \{[^}]*\bpause\b[^}]*\} from '[^']*\/until\.js'/,
  /import \{[^}]*\bsetTimeout\b[^}]*\} from 'node:timers\/promises'/,
  /\(resolve\) => setTimeout\(resolve/,
];

it('no further test file sleeps', () => {
  const sleeping = filesBelow('test', ['.test.ts']).filter(
    (name) =>
      name !== 'test/structure/sleeps.test.ts' &&
      ways.some((way) => way.test(readProjectFile(name))),
  );
  expect(sleeping).toEqual(sleepers);
});
