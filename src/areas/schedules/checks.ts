// Checks of what schedules store: runs stand in the hash and in its order, and no cursor outlives
// its schedule (invariants I10).
import type { Check, FsckParts, Suspect } from '../../fsck/check.js';
import type { Finding } from '../../fsck/finding.js';
import { orderedHashCheck } from '../../fsck/ordered-hash.js';
import { unpackText } from '../../redis/codec/record.js';
import { ScheduleKeys } from './keys.js';

export const scheduleFindings = {
  'schedule-cursor-orphan': 'I10',
  'schedule-run-unlisted': 'I10',
  'schedule-run-orphan': 'I10',
} as const;

type Kind = keyof typeof scheduleFindings;

export function scheduleChecks(parts: FsckParts): readonly Check<string>[] {
  const keys = new ScheduleKeys(parts.reader.redis.keys.prefix);
  return [runsCheck(parts, keys), cursorsCheck(parts, keys)];
}

function runsCheck(parts: FsckParts, keys: ScheduleKeys): Check<string> {
  return orderedHashCheck(parts, {
    name: 'runs of schedules',
    hash: keys.runs(),
    order: keys.runOrder(),
    unlisted: 'schedule-run-unlisted' satisfies Kind,
    orphan: 'schedule-run-orphan' satisfies Kind,
    what: 'scheduled run',
    listing(id, value) {
      const run = JSON.parse(unpackText('scheduled run', value)) as { scheduledTime: number };
      return [['ZADD', keys.runOrder(), String(run.scheduledTime), id]];
    },
  });
}

/** How far schedules have come, of schedules that are gone. */
function cursorsCheck({ reader }: FsckParts, keys: ScheduleKeys): Check<string> {
  const records = reader.redis.keys.records('schedule');
  return {
    name: 'cursors of schedules',
    async *walk() {
      for await (const some of reader.fields(keys.cursors())) {
        yield some.map(({ field }) => field);
      }
    },
    async inspect(names) {
      const schedules = await reader.values(records, names);
      const cursors = await reader.values(keys.cursors(), names);
      return names.flatMap((subject, i): Suspect<string>[] => {
        if (schedules[i] !== undefined || cursors[i] === undefined) return [];
        const finding: Finding = {
          kind: 'schedule-cursor-orphan' satisfies Kind,
          subject,
          keys: [keys.cursors(), records],
          sentence: `A schedule "${subject}" has been followed and is gone`,
          mend: () => reader.write('HDEL', keys.cursors(), subject),
        };
        return [{ subject, finding }];
      });
    },
  };
}
