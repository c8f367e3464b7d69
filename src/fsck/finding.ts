// Findings of the check of a keyspace outside the areas, which name theirs themselves. Each kind
// names the promise that it breaks (docs/fsck.md lists all of them with their repairs; a test keeps
// the two in step).

export const findingKinds = {
  'record-unreadable': 'I17',
  'snapshot-missing': 'I14',
  'snapshot-count': 'I14',
  'snapshot-orphan': 'I14',
  'segment-orphan': 'I3',
  'index-missing': 'I13',
  'index-wrong': 'I13',
  'index-orphan': 'I13',
  'timer-missing': 'I11',
  'timer-late': 'I11',
  'timer-orphan': 'I11',
  'mark-missing': 'I14',
  'mark-orphan': 'I14',
  'load-mark-orphan': 'I15',
  'terminal-open-tasks': 'I4',
  'outbox-target': 'I12',
  'parent-disagrees': 'I12',
  'child-missing': 'I12',
  'child-end-lost': 'I12',
  'idempotency-orphan': 'I1',
  'queue-missing': 'I6',
  'queue-orphan': 'I7',
  'queue-twice': 'I5',
  'queue-unlisted': 'I6',
  'lease-missing': 'I14',
  'lease-end-missing': 'I14',
  'lease-end-orphan': 'I5',
  'limits-orphan': 'I8',
  'slot-missing': 'I8',
  'slot-orphan': 'I8',
  'limit-exceeded': 'I8',
  'place-missing': 'I8',
  'place-orphan': 'I8',
  'shard-unserved': 'I3',
  'owner-unreadable': 'I3',
  'node-lease-endless': 'I3',
  'node-unlisted': 'I3',
  'human-task-wrong': 'I13',
  'human-task-orphan': 'I13',
  'human-task-sets': 'I13',
} as const;

export type FindingKind = keyof typeof findingKinds;

export interface Finding {
  /** One of `findingKinds` or of an area's. */
  readonly kind: string;
  /** Id or name of what is wrong. */
  readonly subject: string;
  /** Keys of the store that disagree. */
  readonly keys: readonly string[];
  /** For people, one sentence. */
  readonly sentence: string;
  /**
   * Repairs it if it is still as it was read; absent where nothing can be derived from what is
   * stored.
   */
  readonly mend?: () => Promise<unknown>;
  /** The repair asks the owner of the execution to look at it, which takes a running node. */
  readonly byOwner?: true;
}

/** The same finding of two passes has the same name. */
export function nameOf({ kind, subject, keys }: Finding): string {
  return [kind, subject, ...keys].join(' ');
}
