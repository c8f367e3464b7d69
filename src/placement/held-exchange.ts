// Tells the nodes of a cluster who holds much (shard/held-loads.ts), so that a quota counts what
// all of them own. Once a second a node asks each other one for the names that hold a notable part
// of a quota, and keeps the last answer. A node that does not answer, or has an older version,
// counts as it last did until its link is lost. A name below that part on each of several nodes is
// not told: so a sum may miss a 64th of the quota for each other node.
import type { Clock } from '../std/clock.js';
import { PeriodicService } from '../std/periodic-service.js';
import type { HeldLoad } from '../store/held-store.js';
import type { HeldBy, HeldSums } from '../shard/held-loads.js';
import type { Peers } from './peer/peers.js';

const operation = 'held-most';
const askEveryMs = 1000;
const askTimeoutMs = 1000;
/** Part of a quota from which on a name is told. */
const toldPart = 1 / 64;
/** Names of each kind in an answer. */
const toldMax = 1000;

/** Quotas by kind of name; 0 = any. */
export type HeldMost = Readonly<Record<HeldBy, HeldLoad>>;

/** Open tasks and bytes by name. */
type Told = readonly [name: string, openTasks: number, bytes: number];
type Answer = Readonly<Record<HeldBy, readonly Told[]>>;

export interface HeldExchangeParts {
  readonly peers: Peers;
  readonly clock: Clock;
  readonly most: HeldMost;
  readonly own: () => HeldSums;
  readonly failed: (error: unknown) => void;
}

export class HeldExchange extends PeriodicService {
  readonly #others = new Map<string, HeldSums>();

  constructor(private readonly parts: HeldExchangeParts) {
    const { clock, failed, peers } = parts;
    super({ clock, everyMs: askEveryMs, failed, runsOn: 'node' });
    peers.handle(operation, () => Promise.resolve(this.#answer()));
    peers.onDown((nodeId) => this.#others.delete(nodeId));
  }

  /** The open tasks and bytes that a name holds on all nodes, as far as this one knows. */
  heldBy(by: HeldBy, name: string): HeldLoad {
    let { openTasks, bytes } = this.parts.own()[by].get(name) ?? { openTasks: 0, bytes: 0 };
    for (const other of this.#others.values()) {
      const load = other[by].get(name);
      openTasks += load?.openTasks ?? 0;
      bytes += load?.bytes ?? 0;
    }
    return { openTasks, bytes };
  }

  async runOnce(): Promise<void> {
    await Promise.all(this.parts.peers.connected.map((nodeId) => this.#ask(nodeId)));
  }

  async #ask(nodeId: string): Promise<void> {
    const { peers } = this.parts;
    try {
      const answer = await peers.call(nodeId, operation, null, { timeoutMs: askTimeoutMs });
      this.#others.set(nodeId, sumsOf(answer as Answer));
    } catch {
      // It is asked again in a second; what it said last stays.
    }
  }

  #answer(): Answer {
    const own = this.parts.own();
    const told = (by: HeldBy): Told[] => notable(own[by], this.parts.most[by]);
    return { caller: told('caller'), definition: told('definition') };
  }
}

function notable(sums: ReadonlyMap<string, HeldLoad>, most: HeldLoad): Told[] {
  const told: Told[] = [];
  for (const [name, { openTasks, bytes }] of sums) {
    const isNotable =
      (most.openTasks > 0 && openTasks >= most.openTasks * toldPart) ||
      (most.bytes > 0 && bytes >= most.bytes * toldPart);
    if (isNotable) told.push([name, openTasks, bytes]);
    if (told.length >= toldMax) break;
  }
  return told;
}

function sumsOf({ caller, definition }: Answer): HeldSums {
  return { caller: mapOf(caller), definition: mapOf(definition) };
}

function mapOf(told: readonly Told[]): Map<string, HeldLoad> {
  return new Map(told.map(([name, openTasks, bytes]) => [name, { openTasks, bytes }]));
}
