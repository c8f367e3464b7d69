// Reads an execution back. A finished one is one string; of others small ones take one round trip
// more, and large ones are scanned in chunks, with turns of the event loop in between. Payloads
// stay text. The head is compared at the end of a scan, so that a record which moved meanwhile is
// read again.
import { SparseSet } from '../std/sparse.js';
import type { ExecutionId } from '../std/ids.js';
import { parseOwnJson } from '../model/json-text.js';
import { Payload } from '../model/payload.js';
import type {
  DefinitionSnapshot,
  OutboxMessage,
  Execution,
  Task,
  WorkflowMessage,
} from '../model/execution.js';
import type { TaskDef } from '../model/task-def.js';
import type { WorkflowDef } from '../model/workflow-def.js';
import { StoreError, type StoredExecution } from '../store/execution-store.js';
import type { Connection } from './connection.js';
import { configIndexOf } from './codec/config-index.js';
import { decodeMessage } from './codec/outbox-record.js';
import { readCompact } from './codec/compact-record.js';
import { segmentsIn } from './codec/execution-fields.js';
import {
  decodeAttributes,
  decodeHistory,
  decodeMessages,
  decodeProgress,
} from './codec/header-record.js';
import { parseTaskDefRecord } from './codec/inline-config.js';
import { unpackText, type StoredValue } from './codec/record.js';
import { joinPieces, type TextPieces } from './codec/text-pieces.js';
import { readDue, type DueEntry } from './codec/scores.js';
import { shortIdOf } from './codec/short-id.js';
import { decodeTaskRecord, type TaskDecodeContext } from './codec/task-record.js';
import { isWrongType } from './errors.js';
import type { Keys } from './keys.js';
import type { SnapshotCache } from './snapshots.js';
import { rememberLoaded } from './stored-form.js';

/** Fields per round trip of a scan; hashes below that come at once. */
const scanCount = 2000;
/** A record that moves or lacks its snapshot under the reader is given up after so many reads. */
const readsMax = 5;
/** Tasks decoded between two turns of the event loop. */
const tasksPerTurn = 500;

type Fields = Map<string, StoredValue>;

interface Found {
  readonly fields: Fields;
  readonly head: string;
  readonly due: DueEntry;
  readonly dirty: boolean;
  readonly compact: boolean;
  /** Fields whose text stood in pieces. */
  readonly pieces?: Map<string, TextPieces> | undefined;
}

export class ExecutionLoader {
  constructor(
    private readonly connection: Connection,
    private readonly keys: Keys,
    private readonly snapshots: SnapshotCache,
  ) {}

  async load(shard: number, id: ExecutionId): Promise<StoredExecution | undefined> {
    let missing: string | undefined;
    for (let read = 0; read < readsMax; read++) {
      const found = await this.#read(shard, id);
      if (found === 'moved') continue;
      if (!found) return undefined;
      const { fields, head, due } = found;
      const header = decodeAttributes(field(fields, 'a', id));
      const snapshot = await this.findSnapshot(shard, header.snapshotHash);
      // A failover between the two reads can have undone both: then the next read shows neither.
      missing = snapshot === undefined ? header.snapshotHash : undefined;
      if (snapshot === undefined) continue;
      const parts = await decodeParts(snapshot.def, fields);
      const execution = decodeExecution(id, fields, { ...header, snapshot }, parts);
      const segments = segmentsIn(fields.get('g'));
      rememberLoaded(execution, {
        compact: found.compact,
        segments,
        pieces: found.pieces,
        due: due.state,
        taskDefs: parts.taskDefs,
      });
      return { execution, head, wakeAt: due.wakeAt, dirty: found.dirty, compact: found.compact };
    }
    if (missing !== undefined) {
      throw new Error(`The definition snapshot ${missing} of execution ${id} is missing`);
    }
    throw new StoreError('not-applied', `Execution ${id} changed while it was read`);
  }

  /** A finished execution takes one command; only others have more to ask for. */
  async #read(shard: number, id: ExecutionId): Promise<Found | 'moved' | undefined> {
    try {
      const key = this.keys.execution(shard, id);
      const bytes = (await this.connection.callBuffer('GET', key)) as Buffer | null;
      if (!bytes) return undefined;
      const due: DueEntry = { wakeAt: 0, state: 'finished' };
      const { head, fields } = readCompact(bytes);
      return { head, fields, due, dirty: false, compact: true };
    } catch (error) {
      if (!isWrongType(error)) throw error;
    }
    try {
      return await this.#readHash(shard, id);
    } catch (error) {
      // It has become a string since.
      if (isWrongType(error)) return 'moved';
      throw error;
    }
  }

  async #readHash(shard: number, id: ExecutionId): Promise<Found | 'moved' | undefined> {
    const key = this.keys.execution(shard, id);
    const partition = this.keys.partitionOf(shard);
    const shortId = shortIdOf(id);
    const [scan, score, dirty] = (await this.connection.callAll([
      ['HSCAN', key, '0', 'COUNT', scanCount],
      ['ZSCORE', this.keys.due(partition), shortId],
      ['ZSCORE', this.keys.dirty(partition), shortId],
    ])) as [[Buffer, Buffer[]], Buffer | null, Buffer | null];
    const fields: Fields = new Map();
    addFields(fields, scan[1]);
    const complete = scan[0].toString() === '0' && !fields.has('g');
    const pieces = new Map<string, TextPieces>();
    if (!complete && !(await this.#readRest(shard, id, scan[0], { fields, pieces }))) {
      return 'moved';
    }
    const head = fields.get('h')?.toString();
    if (head === undefined) return undefined;
    const due = readDue(score ? Number(score) : undefined);
    return {
      ...{ fields, head, due, dirty: dirty !== null, compact: false },
      pieces: pieces.size === 0 ? undefined : pieces,
    };
  }

  /** False when the head moved meanwhile. */
  async #readRest(
    shard: number,
    id: ExecutionId,
    from: Buffer,
    { fields, pieces }: { fields: Fields; pieces: Map<string, TextPieces> },
  ): Promise<boolean> {
    const key = this.keys.execution(shard, id);
    await this.#scan(key, from, fields);
    const before = fields.get('h');
    // The hash's own fields win over segments, and a later segment over those before it.
    for (const segment of segmentsIn(fields.get('g')).reverse()) {
      const segmentFields: Fields = new Map();
      await this.#scan(this.keys.segment(key, segment), undefined, segmentFields);
      const joined = joinPieces(segmentFields);
      for (const [name, value] of segmentFields) {
        if (fields.has(name)) continue;
        fields.set(name, value);
        const text = joined.get(name);
        if (text !== undefined) pieces.set(name, text);
      }
    }
    const after = (await this.connection.callBuffer('HGET', key, 'h')) as Buffer | null;
    return after !== null && before !== undefined && after.equals(before as Buffer);
  }

  async #scan(key: string, from: Buffer | undefined, fields: Fields): Promise<void> {
    let cursor = from?.toString() ?? '';
    while (cursor !== '0') {
      const reply = (await this.connection.callBuffer(
        'HSCAN',
        key,
        cursor === '' ? '0' : cursor,
        'COUNT',
        scanCount,
      )) as [Buffer, Buffer[]];
      addFields(fields, reply[1]);
      cursor = reply[0].toString();
    }
  }

  /** The snapshot under a hash, from memory or the store; undefined when there is none. */
  async findSnapshot(shard: number, hash: string): Promise<DefinitionSnapshot | undefined> {
    return await this.findSnapshotIn(this.keys.partitionOf(shard), hash);
  }

  /** The same by the partition. */
  async findSnapshotIn(partition: number, hash: string): Promise<DefinitionSnapshot | undefined> {
    const known = this.snapshots.get(hash);
    if (known) return known;
    const key = this.keys.snapshot(partition, hash);
    const bytes = (await this.connection.callBuffer('GET', key)) as Buffer | null;
    if (!bytes) return undefined;
    const def = parseOwnJson<WorkflowDef>(unpackText('definition snapshot', bytes));
    return this.snapshots.intern({ hash, def });
  }
}

function decodeExecution(
  id: ExecutionId,
  fields: Fields,
  { attributes, snapshot }: Pick<Execution, 'attributes' | 'snapshot'>,
  { tasks, outbox }: Parts,
): Execution {
  const history = fields.get('y');
  const execution: Execution = {
    id,
    snapshot,
    attributes,
    state: decodeProgress(field(fields, 'x', id)),
    input: payloadOf(fields.get('i')) ?? Payload.empty,
    output: payloadOf(fields.get('o')) ?? Payload.empty,
    variables: payloadOf(fields.get('v')) ?? Payload.empty,
    tasks,
    outbox,
    messages: messagesOf(fields),
  };
  if (history !== undefined) execution.history = decodeHistory(history);
  return execution;
}

function addFields(fields: Fields, flat: readonly Buffer[]): void {
  for (let i = 0; i + 1 < flat.length; i += 2) {
    fields.set((flat[i] as Buffer).toString('latin1'), flat[i + 1] as Buffer);
  }
}

function field(fields: Fields, name: string, id: ExecutionId): StoredValue {
  const value = fields.get(name);
  if (!value) throw new Error(`Execution ${id} lacks its field ${name}`);
  return value;
}

function payloadOf(stored: StoredValue | undefined): Payload | undefined {
  return stored === undefined ? undefined : Payload.ofText(unpackText('payload', stored));
}

function messagesOf(fields: Fields): WorkflowMessage[] {
  const bytes = fields.get('m');
  return bytes ? decodeMessages(bytes) : [];
}

/** The parts of which an execution may have very many. */
interface Parts {
  readonly tasks: Task[];
  readonly outbox: Map<number, OutboxMessage>;
  /** Hashes of task definitions that stand in fields of their own. */
  readonly taskDefs: SparseSet<string>;
}

/** One pass over the fields, with turns of the event loop in between. */
async function decodeParts(def: WorkflowDef, fields: Fields): Promise<Parts> {
  const context = taskContext(def, fields);
  const tasks: Task[] = [];
  const outbox: OutboxMessage[] = [];
  const taskDefs = new SparseSet<string>();
  for (const [name, bytes] of fields) {
    const rest = name.slice(1);
    if (name.startsWith('d')) outbox.push(decodeMessage(bytes));
    else if (name.startsWith('k')) taskDefs.add(rest);
    if (!name.startsWith('t')) continue;
    context.input = payloadOf(fields.get(`i${rest}`));
    context.output = payloadOf(fields.get(`o${rest}`));
    tasks.push(decodeTaskRecord(Number(rest), bytes, context));
    if (tasks.length % tasksPerTurn === 0) await nextTurn();
  }
  outbox.sort((a, b) => a.id - b.id);
  await nextTurn();
  return {
    tasks: inListOrder(tasks),
    outbox: new Map(outbox.map((message) => [message.id, message])),
    taskDefs,
  };
}

/**
 * By `seq`, then by number. A hash has no order; sorting numbers first leaves one pass to a sort
 * that asks a function, which takes tens of ms for 100,000 in no order.
 */
function inListOrder(tasks: readonly Task[]): Task[] {
  const { length } = tasks;
  const keys = Float64Array.from(tasks, ({ seq }, at) => seq * length + at).sort();
  const sorted = Array.from(keys, (key) => tasks[key % length] as Task);
  return sorted.sort((a, b) => a.seq - b.seq || a.number - b.number);
}

const nextTurn = (): Promise<void> => new Promise((resume) => setImmediate(resume));

function taskContext(def: WorkflowDef, fields: Fields): TaskDecodeContext {
  const known = new Map<string, TaskDef>();
  return {
    configs: configIndexOf(def),
    input: undefined,
    output: undefined,
    taskDef(hash: string): TaskDef | undefined {
      const found = known.get(hash);
      if (found) return found;
      const bytes = fields.get(`k${hash}`);
      if (!bytes) return undefined;
      const taskDef = parseTaskDefRecord(unpackText('task definition', bytes));
      known.set(hash, taskDef);
      return taskDef;
    },
  };
}
