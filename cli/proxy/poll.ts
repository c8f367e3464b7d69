// One poll of a worker, asked of both servers. First one is asked without waiting, then the other
// with a short wait for what is still wanted; then they change places. So no more tasks come than
// were asked for, neither server starves, and a task of either waits a quarter of a second at most.
import type { Places } from './places.js';
import { jsonOf, SideAway, type Side, type SideName, type SideRequest } from './side.js';
import { objectsOf, type JsonObject } from '../shared/json.js';

const sliceMs = 250;
const countDefault = 1;
const countMax = 1000;
const timeoutDefaultMs = 100;
/** The longest wait that the field's servers take. */
const timeoutMaxMs = 60_000;
/** Between two looks while one server answers at once although it was asked to wait. */
const pauseMs = 50;

export interface PollResult {
  readonly tasks: readonly JsonObject[];
  /** An answer that is to be passed on: a refusal, or that nobody answers. */
  readonly refusal?: { readonly status: number; readonly body: Buffer };
}

export class Polls {
  #turn = 0;

  constructor(
    private readonly sides: Readonly<Record<SideName, Side>>,
    private readonly places: Places,
    private readonly handedOut: (side: SideName, count: number) => void,
  ) {}

  /** `isGone`: whether the worker has hung up. */
  async poll(
    type: string,
    query: URLSearchParams,
    headers: SideRequest['headers'],
    isGone: () => boolean,
  ): Promise<PollResult> {
    const count = bounded(query.get('count'), countDefault, countMax);
    const deadline =
      performance.now() + bounded(query.get('timeout'), timeoutDefaultMs, timeoutMaxMs);
    const tasks: JsonObject[] = [];
    for (;;) {
      const order: readonly SideName[] = this.#turn++ % 2 === 0 ? ['old', 'new'] : ['new', 'old'];
      const failed: SideAway[] = [];
      const began = performance.now();
      for (const [index, side] of order.entries()) {
        const wanted = count - tasks.length;
        if (wanted <= 0 || isGone()) break;
        const left = Math.max(0, Math.round(deadline - performance.now()));
        const waitMs = index === 0 || tasks.length > 0 ? 0 : Math.min(sliceMs, left);
        const asked = new URLSearchParams(query);
        asked.set('count', String(wanted));
        asked.set('timeout', String(waitMs));
        const path = `/api/tasks/poll/batch/${type}?${asked.toString()}`;
        try {
          const answer = await this.sides[side].send({ method: 'GET', path, headers });
          if (answer.status >= 400) return { tasks, refusal: answer };
          tasks.push(...this.#noted(side, objectsOf(jsonOf(answer))));
        } catch (error) {
          if (!(error instanceof SideAway)) throw error;
          failed.push(error);
        }
      }
      if (failed.length === order.length && tasks.length === 0) throw failed[0];
      if (tasks.length > 0 || isGone() || performance.now() >= deadline) return { tasks };
      const restMs = pauseMs - (performance.now() - began);
      if (restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs));
    }
  }

  #noted(side: SideName, tasks: JsonObject[]): JsonObject[] {
    for (const task of tasks) {
      this.places.note(task['taskId'], side);
      this.places.note(task['workflowInstanceId'], side);
    }
    if (tasks.length > 0) this.handedOut(side, tasks.length);
    return tasks;
  }
}

function bounded(given: string | null, absent: number, max: number): number {
  const value = given === null || given.trim() === '' ? absent : Number(given);
  return Number.isFinite(value) ? Math.min(Math.max(0, Math.floor(value)), max) : absent;
}
