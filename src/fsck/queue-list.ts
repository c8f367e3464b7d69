// Every queue that has members is in the list of queues, which sweeps and this check go by.
import { queueText } from '../redis/codec/queue-record.js';
import { decodeName } from '../redis/key-names.js';
import type { ParsedKey } from '../redis/key-kinds.js';
import type { QueueName } from '../engine/decision.js';
import type { Check, FsckParts, Suspect } from './check.js';

interface QueuePlace {
  readonly key: string;
  readonly queue: QueueName;
}

export function queueListCheck(parts: FsckParts): Check<QueuePlace> {
  const { reader } = parts;
  const list = reader.redis.keys.queues();
  return {
    name: 'list of queues',
    ofKeys: (keys: readonly ParsedKey[]) =>
      keys.flatMap((key) => {
        if (key.kind !== 'queue') return [];
        const queue = queueOf(key.taskType, key.name);
        return queue === undefined ? [] : [{ key: key.key, queue }];
      }),
    async inspect(places) {
      const suspects: Suspect<QueuePlace>[] = [];
      const listed = new Set((await parts.queues.queues()).map(queueText));
      for (const subject of places) {
        const text = queueText(subject.queue);
        if (listed.has(text)) continue;
        const finding = {
          kind: 'queue-unlisted' as const,
          subject: text,
          keys: [subject.key, list],
          sentence: `The queue ${text} has members and is not in the list of queues`,
          mend: () => reader.write('SADD', list, text),
        };
        suspects.push({ subject, finding });
      }
      return suspects;
    },
  };
}

/** undefined for names so long that their keys hold a digest only. */
function queueOf(taskType: string, domain: string): QueueName | undefined {
  const type = decodeName(taskType);
  const name = decodeName(domain);
  if (type === undefined || name === undefined) return undefined;
  return name === '' ? { taskType: type } : { taskType: type, domain: name };
}
