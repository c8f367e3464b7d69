import { expect, it } from 'vitest';
import { QueueTable } from '../../src/queue/queue-table.js';
import { PollLog } from '../../src/queue/poll-log.js';
import { VirtualClock } from '../support/virtual-clock.js';

it('queues that polls only name do not pile up', () => {
  const clock = new VirtualClock(1_700_000_000_000);
  const table = new QueueTable(clock);
  for (let i = 0; i < 100_000; i++)
    table.of({ taskType: `type ${i}` }).lastPollAt = clock.now() - 1;
  expect([...table.all()].length).toBeLessThan(25_000);
});

it('a poll is noted with an id that is cut, and not at all under a name without end', async () => {
  const clock = new VirtualClock(1_700_000_000_000);
  const store = { list: () => Promise.resolve([]) };
  const log = new PollLog(store as never, clock, () => undefined);
  log.note({ taskType: 'work' }, 'w'.repeat(8000));
  log.note({ taskType: 't'.repeat(8000) }, 'w');
  expect(await log.list(undefined)).toEqual([
    { queueName: 'work', workerId: 'w'.repeat(256), lastPollTime: clock.now() },
  ]);
});
