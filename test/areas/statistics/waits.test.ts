// The queue whose task has waited longest, as the overview names it, and nothing while no wait is
// long.
import { describe, expect, it } from 'vitest';
import type { QueueStats } from '../../../src/areas/statistics/queue-stats.js';
import { longestQueueWait } from '../../../src/areas/statistics/waits.js';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const now = 10 * dayMs;

function queue(taskType: string, domain: string, waitMs: number | undefined): QueueStats {
  return {
    ...{
      taskType,
      domain,
      waiting: 4,
      leased: 0,
      perMinute: { scheduled: 0, handedOut: 0, completed: 0, failed: 0 },
      workers: [],
      hasDefinition: true,
    },
    ...{ reason: '', moves: '' },
    ...(waitMs === undefined ? {} : { oldestReadyTime: now - waitMs }),
  };
}

describe('the longest wait in a queue', () => {
  it('names the queue and the age of its oldest task', () => {
    const queues = [
      queue('a', '', 2 * minuteMs),
      queue('b', 'eu', 7.5 * minuteMs),
      queue('hidden', '', undefined),
      queue('c', '', 3 * minuteMs),
    ];
    expect(longestQueueWait(queues, now)).toEqual([
      {
        ...{ kind: 'wait', count: 4, taskType: 'b', domain: 'eu' },
        sentence: "Longest wait: a task in queue b in domain 'eu', for 7 min",
        since: now - 7.5 * minuteMs,
      },
    ]);
  });

  it.each([
    [119 * minuteMs, 'for 119 min'],
    [47.9 * 60 * minuteMs, 'for 47 h'],
    [9.9 * dayMs, 'for 9 days'],
  ])('says %d ms as %s', (waitMs, words) => {
    const [line] = longestQueueWait([queue('a', '', waitMs)], now);
    expect(line?.sentence).toContain(words);
  });

  it('is not named below a minute, and without a task that can be handed out', () => {
    expect(longestQueueWait([queue('a', '', minuteMs - 1)], now)).toEqual([]);
    expect(longestQueueWait([queue('a', '', undefined)], now)).toEqual([]);
  });
});
