// The stored form of an execution besides its fields: index entries, the snapshot it names,
// segments, how it is laid out. Kept beside the execution object while its actor lives, so that a
// commit knows what to take back without reading. It is changed when a commit is encoded; if that
// commit fails, the execution object is dropped with its actor (invariants M3) and this with it.
import { SparseSet } from '../std/sparse.js';
import type { Execution, ExecutionAttributes } from '../model/execution.js';
import type { Payload } from '../model/payload.js';
import { openStatuses, type WorkflowStatus } from '../model/status.js';
import type { TextPieces } from './codec/text-pieces.js';
import type { Keys } from './keys.js';

export interface IndexedForm {
  readonly name: string;
  readonly status: WorkflowStatus;
  /** Epoch ms; the score of all entries. */
  readonly startedAt: number;
  /** undefined: no entry among the correlated ones. */
  readonly correlationId: string | undefined;
  /** The starter, while the execution is open; undefined: no entry among those of a starter. */
  readonly openOf: string | undefined;
  /** Other texts that a search looks at, as they were. */
  readonly input: Payload;
  readonly output: Payload;
  readonly reason: string | undefined;
  readonly failed: number;
}

/** The values that the index entries of an execution are made of. */
export function indexedFormOf({
  snapshot,
  state,
  attributes,
  input,
  output,
}: Execution): IndexedForm {
  return {
    name: snapshot.def.name,
    status: state.status,
    startedAt: state.createTime,
    correlationId: attributes.correlationId,
    openOf: starterOfOpen(attributes, state.status),
    input,
    output,
    reason: state.reasonForIncompletion,
    failed: state.failedReferenceTaskNames.length,
  };
}

/** The starter of an execution that is open; undefined: nobody with a name, or it has ended. */
export function starterOfOpen(
  { createdBy }: Pick<ExecutionAttributes, 'createdBy'>,
  status: WorkflowStatus,
): string | undefined {
  return createdBy && openStatuses.includes(status) ? createdBy : undefined;
}

/** The names of an execution in keys and members. */
export interface ExecutionNames {
  readonly shortId: string;
  /** The short id, for members that are written into a packer. */
  readonly bytes: Uint8Array;
  readonly key: string;
}

export function namesOf(shortId: string, partition: number, keys: Keys): ExecutionNames {
  // Not a Buffer: those are parts of larger ones, which would stay as long as the execution.
  const bytes = new Uint8Array(shortId.length);
  for (let i = 0; i < shortId.length; i++) bytes[i] = shortId.charCodeAt(i);
  return { shortId, bytes, key: keys.executionOf(partition, shortId) };
}

export interface StoredForm {
  /** The hash holds the head and one compact record. */
  compact: boolean;
  /** How it stands in the due set. */
  due: 'absent' | 'open' | 'finished';
  segments: string[];
  /** Fields whose text stands in pieces (codec/text-pieces.ts); undefined: none does. */
  pieces: Map<string, TextPieces> | undefined;
  /** Snapshot that this execution is counted for; '' before the first commit. */
  snapshotHash: string;
  /** The values that the index entries were made of; undefined: there are none. */
  indexed: IndexedForm | undefined;
  /** Hashes of task definitions kept in fields of their own. */
  readonly taskDefs: SparseSet<string>;
  /** Names of the execution, made at its first commit; undefined before. */
  names: ExecutionNames | undefined;
}

const forms = new WeakMap<Execution, StoredForm>();

/**
 * The form of an execution; one that the store does not have yet if it was never loaded or
 * committed.
 */
export function storedFormOf(execution: Execution): StoredForm {
  let form = forms.get(execution);
  if (!form) {
    form = {
      compact: false,
      due: 'absent',
      segments: [],
      pieces: undefined,
      snapshotHash: '',
      indexed: undefined,
      taskDefs: new SparseSet(),
      names: undefined,
    };
    forms.set(execution, form);
  }
  return form;
}

/** Notes the form of an execution just loaded. */
export function rememberLoaded(
  execution: Execution,
  found: {
    compact: boolean;
    segments: string[];
    pieces: Map<string, TextPieces> | undefined;
    due: StoredForm['due'];
    taskDefs: SparseSet<string>;
  },
): void {
  const { compact, due, segments, pieces, taskDefs } = found;
  forms.set(execution, {
    compact,
    due,
    segments,
    pieces,
    taskDefs,
    names: undefined,
    snapshotHash: execution.snapshot.hash,
    indexed: indexedFormOf(execution),
  });
}
