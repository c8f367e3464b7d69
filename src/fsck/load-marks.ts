// Marks of loads and quarantines (invariants M13) of executions that are gone.
import { executionIdOfShort } from '../redis/codec/short-id.js';
import type { Check, FsckParts, Suspect } from './check.js';
import type { Finding } from './finding.js';

interface Place {
  readonly partition: number;
  /** Short id of the execution. */
  readonly member: string;
}

export function loadMarksCheck({ reader }: FsckParts): Check<Place> {
  const { keys } = reader.redis;
  return {
    name: 'marks of loads',
    async *walk() {
      for (let partition = 0; partition < keys.partitions; partition += 1) {
        for await (const some of reader.fields(keys.loads(partition))) {
          yield some.map(({ field }) => ({ partition, member: field }));
        }
      }
    },
    async inspect(places) {
      const executions = places.map(({ partition, member }) => keys.executionOf(partition, member));
      const exist = await reader.exist(executions);
      const suspects: Suspect<Place>[] = [];
      for (const [i, subject] of places.entries()) {
        const { partition, member } = subject;
        const key = keys.loads(partition);
        const [mark] = await reader.values(key, [member]);
        if (exist[i] === true || mark === undefined) continue;
        const id = executionIdOfShort(member);
        const finding: Finding = {
          kind: 'load-mark-orphan',
          subject: id,
          keys: [key, executions[i] as string],
          sentence: `A load of execution ${id} is marked, and it does not exist`,
          mend: () => reader.write('HDEL', key, member),
        };
        suspects.push({ subject, finding });
      }
      return suspects;
    },
  };
}
