// The permits of executions (contract-admin 9.7): carries out the requests in their messages at the
// store, and tells those that got a permit. The message that returns a permit counts as delivered
// only when all that got one know it, so that a node which ends in between leaves none untold.
//
// A pool of permits and its executions lie in different slots. So a failover of one primary may
// undo the start of an execution, or the return of its permit, and leave the permit taken for ever.
// Of pools in which executions of this node had to wait, a loop therefore compares permits with
// executions, some at a time, and frees those of executions that are not there or have left.
import { bySystem, type Executions } from './executions.js';
import { AppError } from '../model/errors.js';
import type { Clock } from '../std/clock.js';
import type { ExecutionId } from '../std/ids.js';
import { PeriodicService } from '../std/periodic-service.js';
import type { OpenExecution } from '../engine/open-execution.js';
import type {
  PermitRequest,
  PermitAnswer,
  PermitMessage,
  PermitStore,
} from '../store/permit-store.js';

/** Beats every number of a message. */
const lastNumber = Number.MAX_SAFE_INTEGER;
const auditEveryMs = 5_000;
/** Places that are compared in one turn. */
const placesPerTurn = 20;
/** Rooms that are remembered; the next execution that has to wait names one again. */
const poolsMax = 1000;

export interface ExecutionPermitsParts {
  readonly clock: Clock;
  readonly store: PermitStore;
  readonly executions: Pick<Executions, 'command' | 'read'>;
  readonly failed: (error: unknown) => void;
}

export class ExecutionPermits extends PeriodicService {
  /** In which executions had to wait, the one that was looked at least recently first. */
  readonly #crowded = new Set<string>();

  constructor(private readonly parts: ExecutionPermitsParts) {
    super({ clock: parts.clock, everyMs: auditEveryMs, failed: parts.failed, runsOn: 'owner' });
  }

  /** Whether the execution has a place now; else it waits. */
  async take(request: PermitRequest): Promise<boolean> {
    const answer = await this.parts.store.take(request);
    if (!answer.hasPlace && this.#crowded.size < poolsMax) this.#crowded.add(request.room);
    await this.#tell(request.room, answer);
    return answer.hasPlace;
  }

  async leave(message: PermitMessage): Promise<void> {
    await this.#tell(message.room, await this.parts.store.leave(message));
  }

  /** Compares some permits of one pool with their executions. */
  override async runOnce(): Promise<void> {
    const [room] = this.#crowded;
    if (room === undefined) return;
    this.#crowded.delete(room);
    const { isWaitedFor, holders } = await this.parts.store.holders(room, placesPerTurn);
    if (isWaitedFor) this.#crowded.add(room);
    for (const id of holders) await this.#freeIfLeft(room, id);
  }

  async #freeIfLeft(room: string, id: ExecutionId): Promise<void> {
    const stay = await this.parts.executions.read(id, (open) => stayOf(open, room));
    if (stay?.isIn === true) return;
    await this.leave({ room, id, number: stay?.newestMessage ?? lastNumber });
  }

  async #tell(room: string, { untold }: PermitAnswer): Promise<void> {
    await Promise.all(untold.map((id) => this.#tellOne(room, id)));
  }

  async #tellOne(room: string, id: ExecutionId): Promise<void> {
    try {
      await this.parts.executions.command(id, { kind: 'place-given', room }, bySystem);
    } catch (error) {
      if (!(error instanceof AppError) || error.kind !== 'not-found') throw error;
      // It was removed while it waited: its place goes to the next.
      await this.leave({ room, id, number: lastNumber });
      return;
    }
    await this.parts.store.told(room, id);
  }
}

/** Whether the execution has or awaits a permit, or its message is still on its way. */
function stayOf(
  { execution }: OpenExecution,
  room: string,
): { isIn: boolean; newestMessage: number } {
  const { state, outbox } = execution;
  const isTold = [...outbox.values()].some((message) => 'room' in message);
  return { isIn: state.room?.room === room || isTold, newestMessage: state.outboxCounter };
}
