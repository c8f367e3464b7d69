// Where an execution or a task is: the server that has started it. Places that were seen are
// remembered, as a cache only; both servers are asked for the others. So a proxy that is started
// again loses nothing, and several of them agree.
import { SideAway, type Side, type SideName, type SideRequest } from './side.js';

const rememberedMax = 100_000;

export type Place =
  | { readonly kind: 'at'; readonly side: SideName }
  | { readonly kind: 'nowhere' }
  /** One server has it not, the other does not answer. */
  | { readonly kind: 'unknown'; readonly away: SideAway };

export class Places {
  readonly #known = new Map<string, SideName>();

  constructor(private readonly sides: Readonly<Record<SideName, Side>>) {}

  note(id: unknown, side: SideName): void {
    if (typeof id !== 'string' || id === '') return;
    this.#known.delete(id);
    this.#known.set(id, side);
    if (this.#known.size <= rememberedMax) return;
    const oldest = this.#known.keys().next();
    if (oldest.done !== true) this.#known.delete(oldest.value);
  }

  /** `headers`: those of the caller. */
  async find(id: string, of: 'workflow' | 'task', headers: SideRequest['headers']): Promise<Place> {
    const known = this.#known.get(id);
    if (known !== undefined) return { kind: 'at', side: known };
    const route = of === 'task' ? `/api/tasks/${id}` : `/api/workflow/${id}?includeTasks=false`;
    let away: SideAway | undefined;
    let refusing: SideName | undefined;
    for (const side of ['new', 'old'] as const) {
      try {
        const { status, body } = await this.sides[side].send({
          method: 'GET',
          path: route,
          headers,
        });
        if (status === 200 && body.length > 0) {
          this.note(id, side);
          return { kind: 'at', side };
        }
        // It may have it and not show it to this caller; the other one is asked all the same.
        if (status === 401 || status === 403) refusing ??= side;
      } catch (error) {
        if (!(error instanceof SideAway)) throw error;
        away = error;
      }
    }
    if (refusing !== undefined) return { kind: 'at', side: refusing };
    return away === undefined ? { kind: 'nowhere' } : { kind: 'unknown', away };
  }
}
