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
  /** Seeds within which a test expects it to be found; undefined: more than a test has time for. */
  readonly seedsMax?: number;
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
  },
  {
    name: 'head not checked',
    ...withTwin('commit', createCommitTwin({ ...checks, head: false })),
    fault: 'flaky-store',
  },
  {
    name: 'grant without a look at ready',
    ...withTwin('commit', createCommitTwin({ ...checks, ready: false })),
  },
  {
    name: 'attempts that became ready are not added',
    ...edited(({ moves }) => ({ moves: moves.filter(({ kind }) => kind !== 'ready') })),
    fault: 'crash',
  },
  {
    name: 'ended attempts stay in their queue',
    ...edited(({ moves }) => ({ moves: moves.filter(({ kind }) => kind !== 'done') })),
  },
  {
    name: 'durable wake-up lost',
    ...edited(() => ({ wakeAt: undefined })),
    fault: 'crash',
  },
  {
    name: 'mark of unconfirmed work not set',
    ...edited(() => ({ dirty: undefined })),
    fault: 'crash',
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
  },
  {
    name: 'push not repeated',
    ...withQueues((queues) => ({ push: (pushes) => queues.push(pushes).catch(() => undefined) })),
    fault: 'flaky-store',
  },
  {
    name: 'slot of a limit never freed',
    seedsMax: 12,
    ...withTwin('finish', (redis, keys, args) => {
      const members = redis.call('HGETALL', keys[2] ?? '');
      return Array.isArray(members) && keys.length > 5
        ? []
        : (twins.get('finish')?.(redis, keys, args) ?? []);
    }),
  },
  {
    name: 'limits not counted',
    ...withTwin('pop', (redis, keys, args) => {
      for (let i = 6; i < keys.length; i += 2) redis.call('DEL', keys[i] ?? '');
      return twins.get('pop')?.(redis, keys, args) ?? null;
    }),
  },
  {
    name: 'provisional lease ends twice',
    seedsMax: 5,
    ...withQueues((queues) => ({
      confirm: async (queue, leases) => {
        await queues.giveBack(queue, leases);
        return leases.map(() => true);
      },
    })),
  },
  {
    name: 'shard taken from a node that has its lease',
    ...withTwin('set-owner', (redis, [state = ''], [shard = '', , fence = '', node = '']) => {
      redis.call('HSET', state, shard, fence, `${shard}n`, node);
      return 1;
    }),
    fault: 'flaky-store',
  },
  {
    name: 'shard handed over before its work is durable',
    spoil: ({ host }: SimulatedNode): void => {
      host.handOver = () => Promise.resolve();
    },
    fault: 'leave',
  },
  {
    name: 'lost shard stays in memory',
    seedsMax: 12,
    spoil: ({ host }: SimulatedNode): void => {
      host.drop = () => undefined;
    },
    fault: 'flaky-store',
  },
  {
    name: 'taken shard forgets what is due',
    spoil: ({ host }: SimulatedNode): void => {
      host.takeOver = () => Promise.resolve();
    },
    fault: 'crash',
  },
];
