// Which node leads the cluster: the scheduler and other work that must run once run there. The
// leader's record in the store decides, fenced like a shard's owner record (invariants M1): every
// write of a leader carries its epoch and token, and one that was deposed is refused. Every node
// checks the record once in `checkEveryMs` and takes the leadership when nobody has it, or the
// leader's lease has ended, its boot id is gone, or nobody listens at its address.
import type { Clock } from '../std/clock.js';
import { PeriodicLoop } from '../std/periodic-loop.js';
import type { Service } from '../std/service.js';
import type { LeadFence, ShardStore } from '../store/shard-store.js';
import type { Membership } from './membership.js';

const checkEveryMs = 500;

export type LeadListener = (leads: boolean) => void;

/**
 * Whether this node leads. Being told late is harmless: whatever a leader writes carries a fence
 * that a newer leader has raised (invariants M2).
 */
export interface Leadership {
  readonly leads: boolean;
  /** Calls back after each change. */
  onChange(listener: (leads: boolean) => void): void;
}

export class ElectedLeadership implements Leadership, Service {
  #fence: LeadFence | undefined;
  #leaderId: string | undefined;
  readonly #listeners: LeadListener[] = [];
  readonly #loop: PeriodicLoop;

  constructor(
    private readonly store: ShardStore,
    private readonly membership: Membership,
    clock: Clock,
    failed: (error: unknown) => void,
  ) {
    this.#loop = new PeriodicLoop({
      name: 'ElectedLeadership',
      clock,
      everyMs: checkEveryMs,
      runsOn: 'node',
      runOnce: () => this.#check(),
      failed: (error) => {
        this.#set(undefined);
        failed(error);
      },
    });
  }

  get leads(): boolean {
    return this.#fence !== undefined;
  }

  /**
   * The fence that this node's writes as the leader must carry; undefined while it does not lead.
   */
  get fence(): LeadFence | undefined {
    return this.#fence;
  }

  /** Node id of the leader, as far as this node knows. */
  get leaderId(): string | undefined {
    return this.leads ? this.membership.self.nodeId : this.#leaderId;
  }

  onChange(listener: LeadListener): void {
    this.#listeners.push(listener);
  }

  async start(): Promise<void> {
    await this.#check();
    await this.#loop.start();
  }

  /** Gives the leadership back at once. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    const fence = this.#fence;
    this.#set(undefined);
    if (fence !== undefined) await this.store.releaseLead(fence);
  }

  async #check(): Promise<void> {
    const { self, refusedIds } = this.membership;
    if (this.#fence !== undefined && (await this.store.isLead(this.#fence))) return;
    this.#set(undefined);
    const result = await this.store.acquireLead(self, refusedIds);
    if (typeof result === 'string') this.#leaderId = result;
    else this.#set(result);
  }

  #set(fence: LeadFence | undefined): void {
    const led = this.leads;
    this.#fence = fence;
    if (led === this.leads) return;
    for (const listener of this.#listeners) listener(this.leads);
  }
}
