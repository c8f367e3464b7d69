// Requests of clients in a simulation: there and back over the network, to whichever node serves.
// Nothing comes from a node that has died, and no client waits for ever. What a client may not be
// refused is a violation.
import { AppError } from '../../src/model/errors.js';
import { PeerError } from '../../src/placement/peer/peers.js';
import { StoreError } from '../../src/store/execution-store.js';
import type { SimulatedNode } from './node.js';
import type { Scheduler } from './scheduler.js';
import { tellsOfUnwritable } from './unwritable.js';

/** A client waits so long for an answer, ms. */
const patienceMs = 8000;

export class Requests {
  /** Chance that an answer does not reach its client. */
  lostAnswers = 0;

  constructor(
    private readonly scheduler: Scheduler,
    private readonly nodes: () => readonly SimulatedNode[],
    /** The store has lost writes: what was started may be gone. */
    readonly isForgetful: () => boolean,
    private readonly violations: string[],
  ) {}

  /**
   * Asks a node that serves; undefined when nobody knows the outcome. A refusal is a violation:
   * nothing sent is refusable. `only`: the node to ask.
   */
  async ask<T>(
    ask: (node: SimulatedNode) => Promise<T>,
    only?: SimulatedNode,
  ): Promise<T | undefined> {
    const nodes = only === undefined ? this.nodes() : [only];
    const serving = nodes.filter((node) => node.isServing && !node.clock.isOver);
    if (serving.length === 0) return undefined;
    const node = this.scheduler.pick(serving);
    try {
      return await this.#answered(node, ask);
    } catch (error) {
      this.#judge(error);
      return undefined;
    }
  }

  pause(ms: number): Promise<void> {
    return new Promise((resolve) => void this.scheduler.after(ms, resolve));
  }

  /** There and back; nothing comes from a node that has died or if it takes too long. */
  #answered<T>(
    node: SimulatedNode,
    ask: (node: SimulatedNode) => Promise<T>,
  ): Promise<T | undefined> {
    const { scheduler } = this;
    return new Promise((resolve, reject) => {
      const patience = scheduler.after(patienceMs, () => resolve(undefined));
      const back = (settle: () => void): void => {
        if (node.clock.isOver || scheduler.chance(this.lostAnswers)) return;
        const settled = (): void => {
          patience.cancel();
          settle();
        };
        node.clock.happen(() => void scheduler.after(0.1 + scheduler.random.next(), settled));
      };
      scheduler.after(0.1 + scheduler.random.next(), () =>
        node.clock.happen(() =>
          ask(node).then(
            (value) => back(() => resolve(value)),
            (error: Error) => back(() => reject(error)),
          ),
        ),
      );
    });
  }

  #judge(error: unknown): void {
    if (error instanceof StoreError || error instanceof PeerError) return;
    if (error instanceof AppError) {
      const { kind } = error;
      if (kind === 'not-found' && this.isForgetful()) return;
      if (tellsOfUnwritable(error)) return;
      if (kind === 'unavailable' || kind === 'unknown-outcome' || kind === 'too-many') return;
    }
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.violations.push(`a client was refused: ${text}`);
  }
}

/** 'refused' where the request is refused with one of these kinds. */
export async function answered<T>(
  request: Promise<T> | undefined,
  kinds: readonly string[],
): Promise<Exclude<T, void> | 'done' | 'refused'> {
  try {
    return ((await request) ?? 'done') as Exclude<T, void> | 'done';
  } catch (error) {
    if (error instanceof AppError && kinds.includes(error.kind)) return 'refused';
    throw error;
  }
}
