// Moves in queues and grants as `commit.lua` takes them: all moves of a batch in one queue
// together, grants in loads that keep a call short.
import type { LeaseGrant, QueueMove } from '../store/execution-store.js';
import type { LeaseRecord } from '../store/queue-store.js';
import type { QueueName } from '../engine/decision.js';
import { packEnvelope } from './codec/envelope.js';
import type { PackValue } from './codec/packer.js';
import {
  memberIn,
  memberOf,
  openLeaseRecord,
  queueText,
  urgencyClass,
} from './codec/queue-record.js';
import type { Keys } from './keys.js';

/** Leases of the grants of one call. */
const leasesPerCallMax = 500;

/** Gives the place of a key among those of a call. */
type Place = (key: string) => number;

interface MovesOfQueue {
  readonly queue: QueueName;
  readonly done: string[];
  /** Urgency class and member in turn: of attempts that may be there, and of new ones. */
  readonly ready: (number | string)[];
  readonly fresh: (number | string)[];
}

export class QueueMoves {
  readonly #queues = new Map<string, MovesOfQueue>();

  /** Names of the queues, as texts. */
  get queues(): IterableIterator<string> {
    return this.#queues.keys();
  }

  /** Moves of the tasks of one execution, in the order in which they were decided. */
  add(shortId: string, moves: readonly QueueMove[]): void {
    for (const [index, move] of moves.entries()) {
      const of = this.#movesOf(move.queue);
      const member = memberIn(shortId, move.attempt);
      if (move.kind === 'done') of.done.push(member);
      // The script removes before it adds: what is over by now is not added.
      else if (!isDoneLater(moves, index)) {
        (move.isNew ? of.fresh : of.ready).push(urgencyClass(move.priority), member);
      }
    }
  }

  pack(keys: Keys, place: Place): Buffer {
    const list: PackValue[] = [];
    for (const { queue, done, ready, fresh } of this.#queues.values()) {
      list.push([
        place(keys.queueState(queue.taskType)),
        place(keys.ready(queue)),
        place(keys.hidden(queue)),
        place(keys.leases(queue)),
        place(keys.leaseEnds(queue)),
        done,
        ready,
        fresh,
      ]);
    }
    return packEnvelope(list);
  }

  #movesOf(queue: QueueName): MovesOfQueue {
    const text = queueText(queue);
    let moves = this.#queues.get(text);
    if (!moves) {
      moves = { queue, done: [], ready: [], fresh: [] };
      this.#queues.set(text, moves);
    }
    return moves;
  }
}

function isDoneLater(moves: readonly QueueMove[], index: number): boolean {
  if (moves.length === 1) return false;
  const { taskId, reopenCount } = (moves[index] as QueueMove).attempt;
  return moves
    .slice(index + 1)
    .some(
      ({ kind, attempt }) =>
        kind === 'done' && attempt.taskId === taskId && attempt.reopenCount === reopenCount,
    );
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
    for (let first = 0; first < leases.length; first += leasesPerCallMax) {
      const some = leases.slice(first, first + leasesPerCallMax);
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

export function packGrants(grants: readonly GrantPart[], keys: Keys, place: Place): Buffer {
  return packEnvelope(
    grants.map(({ queue, leases }) => [
      place(keys.ready(queue)),
      place(keys.leases(queue)),
      place(keys.leaseEnds(queue)),
      leases.map(({ attempt }) => memberOf(attempt)),
      leases.map(openLeaseRecord),
      leases.map(({ endAt }) => endAt),
    ]),
  );
}
