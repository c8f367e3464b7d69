// Faults planted between a node and its stores, so that the durability tests can show that they
// notice: each takes one mechanism of invariants section 3 away. The server itself knows nothing of
// them.
import type { NodeStores } from '../../src/server/node-stores.js';
import type {
  BatchResult,
  Commit,
  CommitResult,
  ExecutionStore,
  LeaseGrant,
  QueueMove,
} from '../../src/store/execution-store.js';
import type { Push, QueueStore } from '../../src/store/queue-store.js';

export const faults = {
  /** Without M4: commits count as confirmed as soon as they are sent. */
  'reply-before-commit': ({ executions }: NodeStores): Partial<NodeStores> => ({
    executions: override(executions, {
      commit: (batch, grants = []) => {
        executions.commit(batch, grants).catch(() => undefined);
        return Promise.resolve({
          commits: batch.map((): CommitResult => 'committed'),
          grants: grants.map(({ leases }) => leases.map(() => true)),
        });
      },
    }),
  }),
  /**
   * Without M5: tasks get into their queues after their commit, nothing says that an execution has
   * pushes to repeat, and no audit finds them.
   */
  'push-not-repeated': ({ executions, queues }: NodeStores): Partial<NodeStores> => ({
    executions: override(executions, {
      commit: async (batch, grants) => {
        const isReady = (move: QueueMove): boolean => move.kind === 'ready';
        const without = batch.map((commit) => ({
          ...commit,
          moves: commit.moves.filter((move) => !isReady(move)),
        }));
        const later = batch.flatMap(({ moves }) => moves).flatMap(toPush);
        const result = await executions.commit(without, grants);
        if (later.length > 0) await queues.push(later);
        return result;
      },
      load: async (shard, id) => {
        const stored = await executions.load(shard, id);
        return stored && { ...stored, dirty: false };
      },
    }),
    queues: override<QueueStore>(queues, {
      contains: (_queue, attempts) => Promise.resolve(attempts.map(() => true)),
    }),
  }),
  /** Without M2: a commit is written whatever head is stored. */
  'head-not-checked': ({ executions }: NodeStores): Partial<NodeStores> => ({
    executions: override(executions, {
      commit: (batch, grants) => commitAnyway(executions, batch, grants),
    }),
  }),
} as const;

export type Fault = keyof typeof faults;

export function isFault(text: string | undefined): text is Fault {
  return text !== undefined && Object.hasOwn(faults, text);
}

export function plant(fault: Fault, stores: NodeStores): NodeStores {
  return { ...stores, ...faults[fault](stores) };
}

function toPush(move: QueueMove): Push[] {
  if (move.kind !== 'ready') return [];
  const { queue, attempt, priority } = move;
  const rest = { visibleAt: 0, limits: undefined, givenBackAtPoll: 0 } as const;
  return [{ queue, attempt, priority, ...rest }];
}

/** What has another head is sent again with the head that is stored. */
async function commitAnyway(
  store: ExecutionStore,
  batch: readonly Commit[],
  leases?: readonly LeaseGrant[],
): Promise<BatchResult> {
  const { commits, grants } = await store.commit(batch, leases);
  for (const [i, commit] of batch.entries()) {
    if (commits[i] !== 'wrong-head') continue;
    const { shard } = commit.fence;
    const head = (await store.load(shard, commit.execution.id))?.head ?? '';
    const again = await store.commit([{ ...commit, head }]);
    commits[i] = again.commits[0] ?? 'wrong-head';
  }
  return { commits, grants };
}

/** The same store with other methods in place of some of its own. */
function override<Store extends object>(store: Store, methods: Partial<Store>): Store {
  return new Proxy(store, {
    get(target, name) {
      const own: unknown = Reflect.get(methods, name) ?? Reflect.get(target, name, target);
      return typeof own === 'function' ? (own.bind(target) as unknown) : own;
    },
  });
}
