// What planted faults are made of: they sit in the twins of the scripts, in stores around the
// product's own, or in a part of a node.
import type { FaultName } from './faults.js';
import type { SimulatedStores } from './node.js';
import type { Plant } from './simulate.js';
import { twins } from './store/twins/list.js';
import type { Twin } from './store/twins/twin.js';

/** Tells that the planted code went another way than the right one. */
export type Bite = () => void;

export interface PlantedFault {
  readonly name: string;
  readonly plant: (bite: Bite) => Plant;
  /** The faults that bring it out soonest; undefined: any. */
  readonly fault?: FaultName;
  /** The only workflow whose executions are started; undefined: as the seed says. */
  readonly workflow?: string;
  /** Every seed meets the world outside, not only those that would. */
  readonly meetsOutside?: true;
  /** A seed that finds it. */
  readonly foundBy: number;
}

export function withTwin(name: string, twin: Twin): Plant {
  return { twins: new Map([...twins, [name, twin]]) };
}

export function withStore<K extends keyof SimulatedStores>(
  name: K,
  change: (store: SimulatedStores[K]) => Partial<SimulatedStores[K]>,
): Plant {
  return {
    stores: (stores) => ({ ...stores, [name]: changed(stores[name], change(stores[name])) }),
  };
}

/** The store with some of its methods replaced. */
function changed<T extends object>(store: T, methods: Partial<T>): T {
  return new Proxy(store, {
    get(target, name) {
      if (name in methods) return methods[name as keyof T];
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
