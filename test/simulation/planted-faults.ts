// Faults of the product, planted from here: in the twins of the scripts, in stores around the
// product's own, or in a part of a node. Each shows that the simulation would find its like.
import { ScheduleKeys } from '../../src/areas/schedules/keys.js';
import type { BatchResult, Commit, LeaseGrant } from '../../src/store/execution-store.js';
import { lostSignals } from './lost-signals.js';
import { outsideFaults } from './outside/planted-faults.js';
import { withStore, withTwin, type Bite, type PlantedFault } from './plant.js';
import type { Plant } from './simulate.js';
import { isUnwritable, unwritableName } from './unwritable.js';
import { roomedName } from './workload-definitions.js';
import { allChecks, createCommitTwin, type CommitChecks } from './store/twins/commit-twin.js';
import { advanceSchedules, createAdvanceTwin } from './store/twins/schedule-twin.js';
import { twins } from './store/twins/list.js';

/** Commits are changed before they are sent; undefined: this one stays as it is. */
function withCommits(bite: Bite, change: (commit: Commit) => Partial<Commit> | undefined): Plant {
  const edited = (commit: Commit): Commit => {
    const edit = change(commit);
    if (edit !== undefined) bite();
    return { ...commit, ...edit };
  };
  return withStore('executions', (store) => ({
    commit: (batch, grants) => store.commit(batch.map(edited), grants),
  }));
}

/** Moves into ready are left out of commits. */
function withoutReady(bite: Bite): Plant {
  return withCommits(bite, ({ moves }) => {
    const kept = moves.filter(({ kind }) => kind !== 'ready');
    return kept.length === moves.length ? undefined : { moves: kept };
  });
}

/** A check of a script is left out; the rest of it is as it is. */
const withoutCheck = (check: keyof CommitChecks, bite: Bite): Plant =>
  withTwin('commit', createCommitTwin({ ...allChecks, [check]: false }, bite));

/** A pop forgets what counts for a limit; `first`: place of the first slots or rate in its keys. */
function withForgottenCounts(bite: Bite, first: number): Plant {
  return withTwin('pop', (redis, keys, args) => {
    for (let i = first; i < keys.length; i += 2) {
      if (redis.call('DEL', keys[i] ?? '') === 1) bite();
    }
    return twins.get('pop')?.(redis, keys, args) ?? null;
  });
}

/** The fence of a leader is the next number, which a failover makes the next one again. */
function withCountedFences(bite: Bite): Plant {
  const taken = new Set<number>();
  return {
    spoil: ({ client, stores }) => {
      stores.scheduleRuns.takeFence = async () => {
        const key = new ScheduleKeys(client.keys.prefix).fence();
        const fence = Number(await client.commits.call('INCR', key));
        if (taken.has(fence)) bite();
        taken.add(fence);
        return fence;
      };
    },
  };
}

export const plantedFaults: readonly PlantedFault[] = [
  {
    name: 'owner record not checked',
    foundBy: 2,
    fault: 'freeze',
    plant: (bite) => withoutCheck('owner', bite),
  },
  {
    name: 'token ignored: the epoch alone counts',
    foundBy: 15,
    fault: 'undone-taking',
    plant: (bite) => withoutCheck('token', bite),
  },
  {
    name: 'head not checked',
    foundBy: 1,
    fault: 'repeats',
    plant: (bite) => withoutCheck('head', bite),
  },
  {
    name: 'grant without a look at ready',
    foundBy: 2,
    plant: (bite) => withoutCheck('ready', bite),
  },
  {
    name: 'attempts that became ready are not added',
    foundBy: 1,
    fault: 'crash',
    plant: (bite) => withoutReady(bite),
  },
  {
    name: 'durable wake-up lost',
    foundBy: 14,
    fault: 'crash',
    plant: (bite) =>
      withCommits(bite, ({ wakeAt }) => (wakeAt ? { wakeAt: undefined } : undefined)),
  },
  {
    name: 'mark of unconfirmed work not set',
    foundBy: 4,
    fault: 'crash-commit',
    plant: (bite) =>
      withCommits(bite, ({ dirty }) => (dirty === true ? { dirty: undefined } : undefined)),
  },
  {
    name: 'unclear commit taken for done',
    foundBy: 2,
    fault: 'unclear-commit',
    plant: (bite) =>
      withStore('executions', (store) => ({
        commit: (batch, grants = []) =>
          store.commit(batch, grants).catch(() => {
            bite();
            return allDone(batch, grants);
          }),
      })),
  },
  {
    name: 'replies and messages leave before their commit',
    foundBy: 1,
    fault: 'unclear-commit',
    plant: (bite) =>
      withStore('executions', (store) => ({
        commit: (batch, grants = []) => {
          if (grants.length > 0) return store.commit(batch, grants);
          store.commit(batch).catch(bite);
          return Promise.resolve(allDone(batch, []));
        },
      })),
  },
  {
    name: 'event taken out of its queue before it is dealt with',
    foundBy: 28,
    fault: 'unclear-commit',
    plant: (bite) =>
      withStore('events', (events) => ({
        read: async (queue, limit) => {
          const messages = await events.read(queue, limit);
          if (messages.length > 0) bite();
          await events.remove(queue, messages);
          return messages;
        },
      })),
  },
  {
    name: 'push lost and not repeated',
    foundBy: 3,
    fault: 'crash',
    plant: (bite) => withStore('queues', () => ({ push: () => Promise.resolve(bite()) })),
  },
  {
    name: 'slot of a limit never freed',
    foundBy: 4,
    plant: (bite) =>
      withTwin('finish', (redis, keys, args) => {
        if (Array.isArray(redis.call('HGETALL', keys[2] ?? '')) && keys.length > 5) {
          bite();
          return [];
        }
        return twins.get('finish')?.(redis, keys, args) ?? [];
      }),
  },
  {
    name: 'limits not counted',
    foundBy: 11,
    plant: (bite) => withForgottenCounts(bite, 6),
  },
  {
    name: 'rates not counted',
    foundBy: 4,
    plant: (bite) => withForgottenCounts(bite, 7),
  },
  {
    name: 'places of executions not counted',
    foundBy: 2,
    workflow: roomedName,
    plant: (bite) =>
      withStore('permits', (permits) => ({
        take: async (request) => {
          const answer = await permits.take(request);
          if (!answer.hasPlace) bite();
          return { ...answer, hasPlace: true };
        },
      })),
  },
  {
    name: 'place of an execution never given back',
    foundBy: 1,
    plant: (bite) =>
      withStore('permits', () => ({
        leave: () => {
          bite();
          return Promise.resolve({ hasPlace: false, untold: [] });
        },
      })),
  },
  {
    name: 'provisional lease ends twice',
    foundBy: 2,
    plant: (bite) =>
      withStore('queues', (queues) => ({
        confirm: async (queue, leases) => {
          bite();
          await queues.giveBack(queue, leases);
          return leases.map(() => true);
        },
      })),
  },
  {
    name: 'shard taken whoever has it meanwhile',
    foundBy: 17,
    fault: 'open-lock',
    plant: (bite) =>
      withTwin('set-owner', (redis, [state = ''], [shard = '', seen, fence = '', node = '']) => {
        if ((redis.call('HGET', state, shard) ?? '') !== seen) bite();
        redis.call('HSET', state, shard, fence, `${shard}n`, node);
        return 1;
      }),
  },
  {
    name: 'lost shard stays in memory',
    foundBy: 13,
    fault: 'flaky-store',
    plant: (bite) => ({
      spoil: ({ host }) => {
        host.drop = bite;
      },
    }),
  },
  {
    name: 'hand-over that forgets timers',
    foundBy: 16,
    fault: 'leave',
    plant: (bite) => ({
      spoil: ({ stores, owned }) => {
        const { executions } = stores;
        const dueWakeUps = executions.dueWakeUps.bind(executions);
        // Timers of a shard count with who owned it first.
        executions.dueWakeUps = async (shard, ...rest) => {
          const due = await dueWakeUps(shard, ...rest);
          if (due.length === 0 || (owned.fenceOf(shard)?.epoch ?? 1) === 1) return due;
          bite();
          return [];
        };
      },
    }),
  },
  {
    name: 'lease that ended during its renewal counts again',
    foundBy: 3,
    fault: 'alone',
    plant: (bite) => ({
      spoil: ({ membership, owned }) => {
        const refresh = membership.refresh.bind(membership);
        membership.refresh = (shards, atOnce) =>
          refresh(shards, atOnce, () => {
            if (owned.all.length > 0) bite();
          });
      },
    }),
  },
  {
    name: 'deposed leader not fenced',
    foundBy: 1,
    fault: 'freeze-leader',
    plant: (bite) => withTwin('advance-schedules', createAdvanceTwin({ fence: false }, bite)),
  },
  {
    name: 'fences of leaders counted',
    foundBy: 25,
    fault: 'undone-lead',
    plant: (bite) => withCountedFences(bite),
  },
  {
    name: 'value that cannot be written loses its batch',
    foundBy: 1,
    workflow: unwritableName,
    plant: (bite) =>
      withStore('executions', (store) => ({
        commit: async (batch, grants) => {
          if (!batch.some(isUnwritable)) return await store.commit(batch, grants);
          bite();
          throw new RangeError('Maximum call stack size exceeded');
        },
      })),
  },
  {
    name: 'run of a schedule stored without its cursor',
    foundBy: 1,
    plant: (bite) =>
      withTwin('advance-schedules', (redis, keys, args) => {
        const cursors = redis.call('HGETALL', keys[1] ?? '') as string[];
        const reply = advanceSchedules(redis, keys, args);
        if (reply === 1 && cursors.length > 0) {
          bite();
          redis.call('HSET', keys[1] ?? '', ...cursors);
        }
        return reply;
      }),
    fault: 'crash',
  },
  ...lostSignals,
  ...outsideFaults,
];

function allDone(batch: readonly Commit[], grants: readonly LeaseGrant[]): BatchResult {
  return {
    commits: batch.map(() => 'committed' as const),
    grants: grants.map(({ leases }) => leases.map(() => true)),
  };
}
