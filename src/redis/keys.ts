// Every key of the store is spelled here or, for the areas around executions, in area-keys.ts, and
// nowhere else (a test checks it). Each entry names type, owner and life.
//
// Keys start with the deployment's prefix. Keys of one script share a hash tag, so the same code
// runs on one Redis and on a cluster: `{p3}` for everything of the shards of partition 3,
// `{q:<type>}` for the queues of a task type, `{defs}` for definitions. The namespace segment
// (`default`) stands in the keys of definitions, queues, indexes and idempotency. Names of users
// are encoded (key-names.ts).
import type { ExecutionId } from '../std/ids.js';
import type { QueueName } from '../engine/decision.js';
import { AreaKeys } from './area-keys.js';
import { shortIdOf } from './codec/short-id.js';
import { encodeName, namespace } from './key-names.js';

/**
 * The keys of a partition that commits name again and again, made once: a batch names hundreds of
 * keys.
 */
class PartitionKeys {
  readonly start: string;
  readonly state: string;
  readonly due: string;
  readonly dirty: string;
  readonly all: string;
  readonly #named = new Map<string, string>();

  constructor(prefix: string, partition: number) {
    this.start = flat(`${prefix}:{p${partition}}:`);
    this.state = flat(`${this.start}state`);
    this.due = flat(`${this.start}due`);
    this.dirty = flat(`${this.start}dirty`);
    this.all = flat(`${this.start}${namespace}:all`);
  }

  named(name: string): string {
    let key = this.#named.get(name);
    if (key === undefined) {
      if (this.#named.size >= namesKnownMax) this.#named.clear();
      key = flat(`${this.start}${namespace}:name:${encodeName(name)}`);
      this.#named.set(name, key);
    }
    return key;
  }
}

/** Workflow names whose keys a partition remembers; then it starts again. */
const namesKnownMax = 1000;

/**
 * The same text in one piece: one that was concatenated from parts is flattened again each time it
 * is written.
 */
function flat(text: string): string {
  return Buffer.from(text).toString();
}

/** The partition of a key, which is given without the deployment's prefix, and what follows. */
export function partitionIn(key: string): { partition: number; rest: string } | undefined {
  const found = /^\{p(\d+)\}:(.*)$/s.exec(key);
  return found ? { partition: Number(found[1]), rest: found[2] as string } : undefined;
}

/** The encoded task type of a key of its queues, without the prefix, and what follows. */
export function taskTypeIn(key: string): { taskType: string; rest: string } | undefined {
  const found = /^\{q:([^}]*)\}:(.*)$/s.exec(key);
  return found ? { taskType: found[1] as string, rest: found[2] as string } : undefined;
}

/** Which set of an outgoing webhook a key without prefix names, and the webhook's encoded id. */
export function outgoingIn(key: string): { part: string; webhook: string } | undefined {
  const found = /^\{out\}:[^:]*:([^:]+):(.+)$/s.exec(key);
  return found ? { part: found[1] as string, webhook: found[2] as string } : undefined;
}

/** The encoded event handler of a key of its dead letters, without the prefix. */
export function deadLettersIn(key: string): string | undefined {
  return /^\{dl:([^}]*)\}:/s.exec(key)?.[1];
}

/** The room and the part of it that a key names, which is given without the prefix. */
export function roomIn(key: string): { room: string; part: string } | undefined {
  const found = /^\{room:([^}]*)\}:[^:]*:(.+)$/s.exec(key);
  return found ? { room: found[1] as string, part: found[2] as string } : undefined;
}

/** Partitions of a keyspace whose setting says nothing else. */
export const partitionsDefault = 16;

export class Keys extends AreaKeys {
  readonly #partitions: PartitionKeys[] = [];
  readonly #types = new Map<string, string>();

  constructor(
    prefix: string,
    /** Slots that the shards are spread over; fixed with the keyspace. */
    readonly partitions = partitionsDefault,
  ) {
    super(prefix);
  }

  /** The partition that holds everything of a shard. */
  partitionOf(shard: number): number {
    return shard % this.partitions;
  }

  /** The shard's place in its partition. */
  placeOf(shard: number): number {
    return Math.floor(shard / this.partitions);
  }

  // --- the deployment

  /**
   * String: record of format, shards, store id and secret; written once, never removed: its absence
   * means an empty store.
   */
  keyspace(): string {
    return `${this.prefix}:keyspace`;
  }

  /**
   * Sorted set of node ids by the moment of their last renewal; entries without a lease are dropped
   * by any node.
   */
  nodes(): string {
    return `${this.prefix}:nodes`;
  }

  /**
   * String (node record) that is the node's lease; owner: that node; expires 3 s after its last
   * renewal.
   */
  node(nodeId: string): string {
    return `${this.prefix}:node:${encodeName(nodeId)}`;
  }

  /** Hash {lead: epoch and token, leadn: node and boot}: the leader's record; no expiry. */
  leader(): string {
    return `${this.prefix}:{rec}:leader`;
  }

  /** String (redlock) that serialises the taking of shards; expires by itself. */
  acquisitionLock(): string {
    return `${this.prefix}:lock:shards`;
  }

  /** String without content: what a starting node tries its rights on (rights.ts); a minute. */
  scratch(): string {
    return `${this.prefix}:scratch`;
  }

  /**
   * A channel nobody hears, or a key that is written and removed at once: what a call waits for
   * that wrote nothing (barrier.ts). `tag` decides its slot; '' where there are no slots.
   */
  mark(tag: string): string {
    return tag === '' ? `${this.prefix}:mark` : `${this.prefix}:{${tag}}:mark`;
  }

  // --- a partition of shards; all in its slot, written only under the fence of the shard concerned

  /**
   * Hash: shard to the fence of its owner (epoch and token), `<shard>n` to the owner's node and
   * boot id, `s<hash>` to the number of executions that name a snapshot, `w` to the mark of
   * watchers (change-lists.ts; written by any node); fields of shards stay.
   */
  partitionState(partition: number): string {
    return this.#partition(partition).state;
  }

  /**
   * Sorted set of all executions by shard, whether they are finished, and their next wake-up or the
   * moment when they go (codec/scores.ts).
   */
  due(partition: number): string {
    return this.#partition(partition).due;
  }

  /**
   * String (boot id): the lease that a node keeps beside its shards of this partition while its own
   * record cannot be written (member-records.ts); expires 3 s after its last renewal.
   */
  lease(partition: number, nodeId: string): string {
    return `${this.#partition(partition).start}lease:n:${encodeName(nodeId)}`;
  }

  /** Sorted set of executions with outbox messages or pushes that may be unconfirmed, by shard. */
  dirty(partition: number): string {
    return this.#partition(partition).dirty;
  }

  /** Hash: execution to the mark of its load (quarantine-store.ts); owners clear it. */
  loads(partition: number): string {
    return `${this.#partition(partition).start}loads`;
  }

  /** Hash: an execution (codec/execution-fields.ts); removed by remove and by retention. */
  execution(shard: number, id: ExecutionId): string {
    return this.executionOf(this.partitionOf(shard), shortIdOf(id));
  }

  /** The same for a short id (codec/short-id.ts). */
  executionOf(partition: number, shortId: string): string {
    return `${this.#partition(partition).start}${shortId}`;
  }

  /**
   * Hash: fields of an execution that were too large for one commit; expires unless a commit makes
   * it current.
   */
  segment(executionKey: string, segment: string): string {
    return `${executionKey}:g${segment}`;
  }

  /**
   * String: a definition snapshot by content hash; lives while an execution of the partition names
   * it.
   */
  snapshot(partition: number, hash: string): string {
    return `${this.#partition(partition).start}snap:${hash}`;
  }

  /**
   * Sorted set: executions of a name by status and create time (codec/scores.ts); entries go with
   * the execution.
   */
  named(partition: number, name: string): string {
    return this.#partition(partition).named(name);
  }

  /** Sorted set: all executions by status and create time; entries go with the execution. */
  all(partition: number): string {
    return this.#partition(partition).all;
  }

  /**
   * Sorted set: executions with a correlation id by create time; entries go with the execution.
   */
  correlated(partition: number, correlationId: string): string {
    return `${this.#partition(partition).start}${namespace}:corr:${encodeName(correlationId)}`;
  }

  /**
   * Sorted set: open executions that a caller or what they started has started, by create time;
   * entries go when the execution ends.
   */
  openOf(partition: number, starter: string): string {
    return `${this.#partition(partition).start}${namespace}:open:${encodeName(starter)}`;
  }

  /**
   * List: executions whose index entries or texts changed in a minute since 1970, oldest first,
   * noted while the state has a mark of watchers; expires some minutes after the newest one.
   */
  changed(partition: number, minute: number): string {
    return `${this.#partition(partition).start}${namespace}:changed:${minute}`;
  }

  /** String: idempotency record; expires some time after the execution that it names. */
  idempotency(shard: number, name: string, key: string): string {
    const { start } = this.#partition(this.partitionOf(shard));
    return `${start}${namespace}:idem:${encodeName(name)}:${encodeName(key)}`;
  }

  /** List: log lines of a task, oldest first; expires by retention after the last line. */
  taskLog(shard: number, id: ExecutionId, taskNumber: number): string {
    return `${this.execution(shard, id)}:log${taskNumber}`;
  }

  /** Hash: file id to the record of a file of the execution; removed with it. */
  filesOf(executionKey: string): string {
    return `${executionKey}:files`;
  }

  // --- queues of a task type; all in its slot, written by scripts only; keys without members
  // vanish by themselves

  /**
   * Hash {c: newest order number (store time in its upper bits), n: newest lease number}; stays.
   */
  queueState(taskType: string): string {
    return this.#type(taskType) + 'state';
  }

  /** Sorted set: ready members by urgency, then order number. */
  ready(queue: QueueName): string {
    return `${this.#type(queue.taskType)}ready:${encodeName(queue.domain ?? '')}`;
  }

  /** Sorted set: hidden members by the moment they become visible, urgency in the low bits. */
  hidden(queue: QueueName): string {
    return `${this.#type(queue.taskType)}hidden:${encodeName(queue.domain ?? '')}`;
  }

  /** Hash: member to its lease record (queue-codec.ts). */
  leases(queue: QueueName): string {
    return `${this.#type(queue.taskType)}leases:${encodeName(queue.domain ?? '')}`;
  }

  /** Sorted set: leased members by the moment their lease is next looked at. */
  leaseEnds(queue: QueueName): string {
    return `${this.#type(queue.taskType)}ends:${encodeName(queue.domain ?? '')}`;
  }

  /** Hash: waiting member with limits to these limits. */
  memberLimits(queue: QueueName): string {
    return `${this.#type(queue.taskType)}limits:${encodeName(queue.domain ?? '')}`;
  }

  /**
   * Sorted set: members that hold a slot of a definition's concurrency limit by the end of their
   * lease.
   */
  slots(taskType: string, defName: string): string {
    return `${this.#type(taskType)}slots:${encodeName(defName)}`;
  }

  /** Sorted set: hand-outs in the current rate window of a definition by their moment. */
  rate(taskType: string, defName: string): string {
    return `${this.#type(taskType)}rate:${encodeName(defName)}`;
  }

  /** Set of all queues that ever had a member (JSON [type, domain]); stays. */
  queues(): string {
    return `${this.prefix}:${namespace}:queues`;
  }

  /** Hash: [type, domain] to the newest poll; stays. */
  pollData(): string {
    return `${this.prefix}:${namespace}:polls`;
  }

  #partition(partition: number): PartitionKeys {
    return (this.#partitions[partition] ??= new PartitionKeys(this.prefix, partition));
  }

  #type(taskType: string): string {
    const known = this.#types.get(taskType);
    if (known !== undefined) return known;
    if (this.#types.size >= typesKnownMax) this.#types.clear();
    const start = `${this.prefix}:{q:${encodeName(taskType)}}:${namespace}:`;
    this.#types.set(taskType, start);
    return start;
  }
}

/** Task types are users' names: the table of their encoded forms starts again at this size. */
const typesKnownMax = 10_000;
