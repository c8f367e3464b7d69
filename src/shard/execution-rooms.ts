// The places of executions in their rooms (contract-admin 9.7): carries out what their messages ask
// of the store, and tells those that got a place. The message that frees a place counts as
// delivered only when all that got one know it, so that a node which ends in between leaves nobody
// untold.
import { AppError } from '../model/errors.js';
import type { ExecutionId } from '../std/ids.js';
import type { PlaceRequest, RoomAnswer, RoomMessage, RoomStore } from '../store/room-store.js';
import type { Executions } from './executions.js';

/** Beats every number of a message. */
const lastNumber = Number.MAX_SAFE_INTEGER;

export class ExecutionRooms {
  constructor(
    private readonly store: RoomStore,
    private readonly executions: Pick<Executions, 'command'>,
  ) {}

  /** Whether the execution has a place now; else it waits. */
  async take(request: PlaceRequest): Promise<boolean> {
    const answer = await this.store.take(request);
    await this.#tell(request.room, answer);
    return answer.hasPlace;
  }

  async leave(message: RoomMessage): Promise<void> {
    await this.#tell(message.room, await this.store.leave(message));
  }

  async #tell(room: string, { untold }: RoomAnswer): Promise<void> {
    await Promise.all(untold.map((id) => this.#tellOne(room, id)));
  }

  async #tellOne(room: string, id: ExecutionId): Promise<void> {
    try {
      await this.executions.command(id, { kind: 'place-given', room });
    } catch (error) {
      if (!(error instanceof AppError) || error.kind !== 'not-found') throw error;
      // It was removed while it waited: its place goes to the next.
      await this.leave({ room, id, number: lastNumber });
      return;
    }
    await this.store.told(room, id);
  }
}
