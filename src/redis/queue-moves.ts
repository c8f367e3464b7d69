// Moves in queues and grants as `commit.lua` takes them: all moves of a batch in one queue
// together, grants in loads that keep a call short.
import type { LeaseGrant, QueueMove } from '../store/execution-store.js';
import type { LeaseRecord } from '../store/queue-store.js';
import type { QueueName } from '../engine/decision.js';
import type { Packer } from './codec/packer.js';
import { queueText, urgencyClass, writeMember, writeOpenLeases } from './codec/queue-record.js';
import type { Keys } from './keys.js';
import { partsOf } from '../std/parts.js';

/** Leases of the grants of one call. */
const leasesPerCallMax = 500;

/** Gives the place of a key among those of a call. */
type Place = (key: string) => number;

/** A move with the short id of its execution. */
interface Moved<Move = QueueMove> {
  readonly move: Move;
  readonly shortId: Uint8Array;
}

type MovedReady = Moved<Extract<QueueMove, { kind: 'ready' }>>;

interface MovesOfQueue {
  readonly queue: QueueName;
  readonly done: Moved[];
  /** Attempts that may be there, and new ones. */
  readonly ready: MovedReady[];
  readonly fresh: MovedReady[];
}

export class QueueMoves {
  /** By the queue's text. */
  readonly #queues = new Map<string, MovesOfQueue>();
  /** Those without a domain, by task type. */
  readonly #plain = new Map<string, MovesOfQueue>();

  /** Names of the queues, as texts. */
  get queues(): IterableIterator<string> {
    return this.#queues.keys();
  }

  /** Moves of the tasks of one execution, in the order in which they were decided. */
  add(moves: readonly QueueMove[], shortId: Uint8Array): void {
    const over = overAtTheEnd(moves);
    for (const move of moves) {
      const of = this.#movesOf(move.queue);
      if (move.kind === 'done') of.done.push({ move, shortId });
      // The script removes before it adds: what is over by now is not added.
      else if (over?.has(move) !== true) (move.isNew ? of.fresh : of.ready).push({ move, shortId });
    }
  }

  write(packer: Packer, keys: Keys, place: Place): void {
    packer.list(this.#queues.size);
    for (const { queue, done, ready, fresh } of this.#queues.values()) {
      packer.list(8);
      packer.number(place(keys.queueState(queue.taskType)));
      packer.number(place(keys.ready(queue)));
      packer.number(place(keys.hidden(queue)));
      packer.number(place(keys.leases(queue)));
      packer.number(place(keys.leaseEnds(queue)));
      packer.list(done.length);
      for (const { move, shortId } of done) writeMember(packer, move.attempt, shortId);
      writeReady(packer, ready);
      writeReady(packer, fresh);
    }
  }

  #movesOf(queue: QueueName): MovesOfQueue {
    if (queue.domain !== undefined) return this.#named(queue);
    let moves = this.#plain.get(queue.taskType);
    if (moves === undefined) {
      moves = this.#named(queue);
      this.#plain.set(queue.taskType, moves);
    }
    return moves;
  }

  #named(queue: QueueName): MovesOfQueue {
    const text = queueText(queue);
    let moves = this.#queues.get(text);
    if (!moves) {
      moves = { queue, done: [], ready: [], fresh: [] };
      this.#queues.set(text, moves);
    }
    return moves;
  }
}

/** Urgency class and member in turn. */
function writeReady(packer: Packer, moves: readonly MovedReady[]): void {
  packer.list(2 * moves.length);
  for (const { move, shortId } of moves) {
    packer.number(urgencyClass(move.priority));
    writeMember(packer, move.attempt, shortId);
  }
}

/** Moves into ready whose attempt is done later in the list; undefined: none. */
function overAtTheEnd(moves: readonly QueueMove[]): Set<QueueMove> | undefined {
  const firstReady = moves.findIndex(({ kind }) => kind === 'ready');
  if (firstReady < 0) return undefined;
  let done: Set<string> | undefined;
  let over: Set<QueueMove> | undefined;
  for (let index = moves.length - 1; index >= firstReady; index--) {
    const move = moves[index] as QueueMove;
    const { taskId, reopenCount } = move.attempt;
    if (move.kind === 'done') (done ??= new Set()).add(`${taskId} ${reopenCount}`);
    else if (done?.has(`${taskId} ${reopenCount}`) === true) (over ??= new Set()).add(move);
  }
  return over;
}

/** A part of a grant that one call carries. */
export interface GrantPart {
  /** Which grant of the batch. */
  readonly index: number;
  readonly queue: QueueName;
  readonly leases: readonly LeaseRecord[];
}

/** The grants of a batch, divided among as few calls as their bound allows. */
export function grantLoads(grants: readonly LeaseGrant[]): GrantPart[][] {
  const loads: GrantPart[][] = [];
  let room = 0;
  for (const [index, { queue, leases }] of grants.entries()) {
    for (const some of partsOf(leases, leasesPerCallMax)) {
      if (some.length > room) {
        loads.push([]);
        room = leasesPerCallMax;
      }
      loads.at(-1)?.push({ index, queue, leases: some });
      room -= some.length;
    }
  }
  return loads;
}

export function writeGrants(
  packer: Packer,
  grants: readonly GrantPart[],
  keys: Keys,
  place: Place,
): void {
  packer.list(grants.length);
  for (const { queue, leases } of grants) {
    packer.list(6);
    packer.number(place(keys.ready(queue)));
    packer.number(place(keys.leases(queue)));
    packer.number(place(keys.leaseEnds(queue)));
    packer.list(leases.length);
    for (const { attempt } of leases) writeMember(packer, attempt);
    writeOpenLeases(packer, leases);
    packer.list(leases.length);
    for (const { endAt } of leases) packer.number(endAt);
  }
}
