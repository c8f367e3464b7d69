// One part of the check of a keyspace: it walks over its subjects in slices and says what is wrong
// with those that it is given. A second pass inspects the suspects of the first one again.
import type { KeyspaceReader } from '../redis/keyspace-reader.js';
import type { ParsedKey } from '../redis/key-kinds.js';
import type { RedisExecutionStore } from '../redis/execution-store.js';
import type { ExecutionStore } from '../store/execution-store.js';
import type { HumanTaskStore } from '../store/human-task-store.js';
import type { QueueStore } from '../store/queue-store.js';
import type { PermitStore } from '../store/permit-store.js';
import type { Finding } from './finding.js';

/** The parts that checks read and repair with. */
export interface FsckParts {
  readonly reader: KeyspaceReader;
  /** Of the keyspace. */
  readonly shards: number;
  readonly executions: Pick<ExecutionStore, 'load'> & Pick<RedisExecutionStore, 'snapshotOf'>;
  readonly queues: QueueStore;
  readonly humanTasks: HumanTaskStore;
  readonly permits: Pick<PermitStore, 'leave'>;
  /** Store time, epoch ms. */
  readonly now: () => number;
  /** How long finished executions are kept. */
  readonly retentionMs: number;
}

export interface Suspect<Subject> {
  readonly subject: Subject;
  readonly finding: Finding;
}

export interface Check<Subject> {
  /** Shown with the report: what it looks at. */
  readonly name: string;
  /** Its subjects among keys that were found, for a check that goes by keys. */
  ofKeys?(keys: readonly ParsedKey[]): Promise<readonly Subject[]> | readonly Subject[];
  /** Its subjects in slices, for a check that knows its keys. */
  walk?(): AsyncIterable<readonly Subject[]>;
  /** The faults of these subjects now. */
  inspect(subjects: readonly Subject[]): Promise<Suspect<Subject>[]>;
}
