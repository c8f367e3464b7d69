// The index entries of an execution agree with its record: name, status, create time and
// correlation id (invariants I13).
import { indexScore } from '../redis/codec/scores.js';
import type { FsckParts } from './check.js';
import type { Finding } from './finding.js';
import type { ReadExecution } from './read-execution.js';

export async function checkIndexes(
  { reader }: FsckParts,
  { id, partition, shortId, key, stored }: ReadExecution,
): Promise<Finding[]> {
  const { keys } = reader.redis;
  const { snapshot, state, attributes } = stored.execution;
  const byStatus = indexScore(state.status, state.createTime);
  const { correlationId } = attributes;
  const wanted = [
    { key: keys.all(partition), member: shortId, score: byStatus },
    { key: keys.named(partition, snapshot.def.name), member: shortId, score: byStatus },
    ...(correlationId === undefined
      ? []
      : [
          {
            key: keys.correlated(partition, correlationId),
            member: shortId,
            score: state.createTime,
          },
        ]),
  ];
  const scores = await reader.scores(wanted);
  return wanted.flatMap((entry, i): Finding[] => {
    const score = scores[i];
    if (score === entry.score) return [];
    const mend = (): Promise<boolean> =>
      reader.mend({ key, head: stored.head }, [
        ['ZADD', entry.key, String(entry.score), entry.member],
      ]);
    const common = { subject: id, keys: [entry.key, key], mend };
    return score === undefined
      ? [{ ...common, kind: 'index-missing', sentence: `Execution ${id} is not in an index` }]
      : [
          {
            ...common,
            kind: 'index-wrong',
            sentence:
              `Execution ${id} stands in an index under another status or create time ` +
              `than its record has`,
          },
        ];
  });
}
