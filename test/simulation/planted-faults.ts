// Faults of the product, planted from here: in the twins of the scripts, in stores around the
// product's own, or in a part of a node. Each shows that the simulation would find its like.
import type { Commit, ExecutionStore } from '../../src/store/execution-store.js';
import type { QueueStore } from '../../src/store/queue-store.js';
import type { FaultName } from './faults.js';
import type { SimulatedNode, SimulatedStores } from './node.js';
import type { Plant } from './simulate.js';
import { createCommitTwin } from './store/twins/commit-twin.js';
import { twins } from './store/twins/list.js';
import type { Twin } from './store/twins/twin.js';

export interface PlantedFault extends Plant {
  readonly name: string;
  /** The faults that bring it out soonest; undefined: any. */
  readonly fault?: FaultName;
  /** Seeds within which it has to be found. */
  readonly seedsMax: number;
}

const checks = { owner: true, head: true, token: true, ready: true };

function withTwin(name: string, twin: Twin): Plant {
  return { twins: new Map([...twins, [name, twin]]) };
}

function withQueues(change: (queues: QueueStore) => Partial<QueueStore>): Plant {
  return {
    stores: (stores) => ({ ...stores, queues: changed(stores.queues, change(stores.queues)) }),
  };
}

function withExecutions(change: (store: ExecutionStore) => Partial<ExecutionStore>): Plant {
  return {
    stores: (stores: SimulatedStores) => ({
      ...stores,
      executions: changed(stores.executions, change(stores.executions)),
    }),
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

const edited = (change: (commit: Commit) => Partial<Commit>): Plant =>
  withExecutions((store) => ({
    commit: (batch, grants) =>
      store.commit(
        batch.map((commit) => ({ ...commit, ...change(commit) })),
        grants,
      ),
  }));

export const plantedFaults: readonly PlantedFault[] = [
  {
    name: 'owner record not checked, nor the head',
    ...withTwin('commit', createCommitTwin({ ...checks, owner: false, head: false })),
    fault: 'pause',
    seedsMax: 100,
  },
  {
    name: 'head not checked',
    ...withTwin('commit', createCommitTwin({ ...checks, head: false })),
    fault: 'flaky-store',
    seedsMax: 300,
  },
  {
    name: 'grant without a look at ready',
    ...withTwin('commit', createCommitTwin({ ...checks, ready: false })),
    seedsMax: 50,
  },
  {
    name: 'attempts that became ready are not added',
    ...edited(({ moves }) => ({ moves: moves.filter(({ kind }) => kind !== 'ready') })),
    fault: 'crash',
    seedsMax: 50,
  },
  {
    name: 'ended attempts stay in their queue',
    ...edited(({ moves }) => ({ moves: moves.filter(({ kind }) => kind !== 'done') })),
    seedsMax: 50,
  },
  {
    name: 'durable wake-up lost',
    ...edited(() => ({ wakeAt: undefined })),
    fault: 'crash',
    seedsMax: 100,
  },
  {
    name: 'mark of unconfirmed work not set',
    ...edited(() => ({ dirty: undefined })),
    fault: 'crash',
    seedsMax: 200,
  },
  {
    name: 'unclear commit taken for done',
    ...withExecutions((store) => ({
      commit: async (batch, grants = []) => {
        try {
          return await store.commit(batch, grants);
        } catch {
          const commits = batch.map(() => 'committed' as const);
          return { commits, grants: grants.map(({ leases }) => leases.map(() => true)) };
        }
      },
    })),
    fault: 'flaky-store',
    seedsMax: 50,
  },
  {
    name: 'push not repeated',
    ...withQueues((queues) => ({ push: (pushes) => queues.push(pushes).catch(() => undefined) })),
    fault: 'flaky-store',
    seedsMax: 300,
  },
  {
    name: 'slot of a limit never freed',
    ...withTwin('finish', (redis, keys, args) => {
      const members = redis.call('HGETALL', keys[2] ?? '');
      return Array.isArray(members) && keys.length > 5
        ? []
        : (twins.get('finish')?.(redis, keys, args) ?? []);
    }),
    seedsMax: 50,
  },
  {
    name: 'limits not counted',
    ...withTwin('pop', (redis, keys, args) => {
      for (let i = 6; i < keys.length; i += 2) redis.call('DEL', keys[i] ?? '');
      return twins.get('pop')?.(redis, keys, args) ?? null;
    }),
    seedsMax: 100,
  },
  {
    name: 'provisional lease ends twice',
    ...withQueues((queues) => ({
      confirm: async (queue, leases) => {
        await queues.giveBack(queue, leases);
        return leases.map(() => true);
      },
    })),
    seedsMax: 50,
  },
  {
    name: 'shard taken from a node that has its lease',
    ...withTwin('set-owner', (redis, [state = ''], [shard = '', , fence = '', node = '']) => {
      redis.call('HSET', state, shard, fence, `${shard}n`, node);
      return 1;
    }),
    fault: 'flaky-store',
    seedsMax: 300,
  },
  {
    name: 'shard handed over before its work is durable',
    spoil: ({ host }: SimulatedNode) => {
      host.handOver = () => Promise.resolve();
    },
    fault: 'leave',
    seedsMax: 300,
  },
  {
    name: 'lost shard stays in memory',
    spoil: ({ host }: SimulatedNode) => {
      host.drop = () => undefined;
    },
    fault: 'flaky-store',
    seedsMax: 100,
  },
  {
    name: 'taken shard forgets what is due',
    spoil: ({ host }: SimulatedNode) => {
      host.takeOver = () => Promise.resolve();
    },
    fault: 'crash',
    seedsMax: 200,
  },
];
