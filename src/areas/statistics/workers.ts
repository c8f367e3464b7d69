// The fleet: every worker that polled within the last hour, over all nodes (queue/worker-notes.ts),
// with the tasks that it holds now.
import type { ValueOf } from '../../model/schema.js';
import { isAdministrator, type Caller } from '../../model/caller.js';
import type { OperationContext } from '../../operation/context.js';
import { toQueue } from '../../operation/poll-tasks.js';
import { allQueueSizes, maySeeQueue, queueOfName } from '../../operation/queue-sizes.js';
import type { NodeReport } from '../../store/statistics-store.js';
import type { fleetWorkerSchema } from './operator-schemas.js';

type FleetWorker = ValueOf<typeof fleetWorkerSchema>;
type WorkerQueue = FleetWorker['queues'][number];

/** Leases of one queue that are read. */
const leasesReadMax = 1000;

/** Those that poll a queue which the caller may see; the one that polled last first. */
export async function fleet(
  context: OperationContext,
  caller: Caller,
  reports: readonly NodeReport[],
): Promise<FleetWorker[]> {
  const known = new Map<string, Known>();
  for (const { nodeId, workers } of reports) {
    for (const worker of workers) {
      const polled = worker.polled.filter(([taskType, domain]) =>
        maySeeQueue(context.access, caller, { taskType, domain }),
      );
      if (polled.length === 0) continue;
      const one = known.get(worker.workerId) ?? newKnown();
      known.set(worker.workerId, one);
      for (const [taskType, domain, at] of polled) {
        const key = JSON.stringify([taskType, domain]);
        const before = one.queues.get(key)?.lastPollTime ?? 0;
        one.queues.set(key, { taskType, domain, lastPollTime: Math.max(before, at) });
      }
      one.addresses.add(worker.address);
      if (worker.client !== '') one.clients.add(worker.client);
      one.nodes.add(nodeId);
      one.isAllSeen &&= polled.length === worker.polled.length;
      one.reported += worker.reported;
      one.failed += worker.failed;
    }
  }
  const held = await heldBy(context, caller);
  const isAll = isAdministrator(caller);
  return [...known]
    .map(([workerId, { queues, addresses, clients, nodes, isAllSeen, reported, failed }]) => {
      const all = [...queues.values()];
      return {
        workerId,
        ...(isAll ? { addresses: [...addresses] } : {}),
        ...{ clients: [...clients], queues: all, nodes: [...nodes] },
        ...(isAllSeen ? { reported, failed } : {}),
        lastPollTime: Math.max(...all.map(({ lastPollTime }) => lastPollTime)),
        ...(held === undefined ? {} : { inFlight: held.get(workerId) ?? 0 }),
      };
    })
    .sort((a, b) => b.lastPollTime - a.lastPollTime);
}

interface Known {
  readonly queues: Map<string, WorkerQueue>;
  readonly addresses: Set<string>;
  readonly clients: Set<string>;
  readonly nodes: Set<string>;
  isAllSeen: boolean;
  reported: number;
  failed: number;
}

function newKnown(): Known {
  return {
    ...{ queues: new Map<string, WorkerQueue>(), addresses: new Set<string>() },
    ...{ clients: new Set<string>(), nodes: new Set<string>() },
    ...{ isAllSeen: true, reported: 0, failed: 0 },
  };
}

/** Tasks by worker, over the queues that the caller may see; undefined: too many to count. */
async function heldBy(
  context: OperationContext,
  caller: Caller,
): Promise<Map<string, number> | undefined> {
  const sizes = (await allQueueSizes(context, caller)).filter(({ leased }) => leased > 0);
  if (sizes.some(({ leased }) => leased > leasesReadMax)) return undefined;
  const sums = new Map<string, number>();
  if (sizes.length === 0) return sums;
  const queues = sizes
    .map(({ name }) => queueOfName(name))
    .map(({ taskType, domain }) => toQueue(taskType, domain));
  for (const byWorker of await context.queueStore.heldByWorker(queues)) {
    for (const [worker, count] of byWorker) sums.set(worker, (sums.get(worker) ?? 0) + count);
  }
  return sums;
}
