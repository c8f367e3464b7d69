// Planted faults of one kind: what tells that a queue of the store may hold something is lost on
// the way, so that a task waits for the next sweep (invariants I19, M18).
import type { QueueHead } from '../../src/store/queue-store.js';
import type { Bite, PlantedFault } from './plant.js';
import { withStore } from './plant.js';
import type { Plant } from './simulate.js';

/**
 * The signals of a queue are cleared before the store is asked, as they once were. Whatever then
 * ends the read early has lost them.
 */
function withEarlyClearing(bite: Bite): Plant {
  return {
    spoil: ({ hub, stores: { queues } }) => {
      const head = queues.head.bind(queues);
      const pop = queues.pop.bind(queues);
      queues.head = async (name, limit) => {
        const { signals, parked } = hub.queue(name);
        signals.nothingElse(signals.ask());
        const read = await head(name, limit);
        if (read.hasMore) signals.raise();
        if (read.needsScript === 'once' && parked.size === 0) bite();
        return read;
      };
      queues.pop = async (name, count, leaseMs) => {
        const result = await pop(name, count, leaseMs);
        if (result.moreReady) hub.queue(name).signals.raise();
        return result;
      };
    },
  };
}

/** Who reads a queue does not note when its next hidden task becomes visible. */
function withoutNextVisible(bite: Bite): Plant {
  const forgetful = <T extends Pick<QueueHead, 'nextVisibleAt'>>(read: T): T => {
    if (read.nextVisibleAt > 0) bite();
    return { ...read, nextVisibleAt: 0 };
  };
  return withStore('queues', (store) => ({
    head: async (name, limit) => forgetful(await store.head(name, limit)),
    pop: async (name, count, leaseMs) => forgetful(await store.pop(name, count, leaseMs)),
  }));
}

export const lostSignals: readonly PlantedFault[] = [
  {
    name: 'signals of a queue cleared before the store has answered',
    foundBy: 4,
    plant: withEarlyClearing,
  },
  {
    name: 'moment of the next hidden task not noted',
    foundBy: 16,
    plant: withoutNextVisible,
  },
];
