// Faults of what meets the world outside, planted as those of ../planted-faults.ts.
import { localAdministrator } from '../../../src/model/caller.js';
import type { SimulatedNode } from '../node.js';
import { withStore, type Bite, type PlantedFault } from '../plant.js';

/** Who claims is answered by a read of the task; the claim itself follows. */
function claimByLooking({ outside }: SimulatedNode, bite: Bite): void {
  if (outside === undefined) return;
  const { people } = outside;
  const claim = people.claim.bind(people);
  people.claim = async (caller, taskId, override) => {
    const seen = await people.get(localAdministrator, taskId);
    const claiming = claim(caller, taskId, override);
    if (seen.state !== 'ASSIGNED') return await claiming;
    claiming.catch(bite);
    const claimant = { userType: 'CONDUCTOR_USER', user: caller.id } as const;
    return { ...seen, state: 'IN_PROGRESS', claimant };
  };
}

/** What a call starts gets an id that no other attempt will find. */
function startAnew({ executions }: SimulatedNode, bite: Bite): void {
  const startAs = executions.startAs.bind(executions);
  executions.startAs = async (id, request, isFirst) => {
    if (request.attributes.event === undefined) return await startAs(id, request, isFirst);
    bite();
    await executions.start(request);
    return 'RUNNING';
  };
}

export const outsideFaults: readonly PlantedFault[] = [
  {
    name: 'call of a webhook answered before its event is stored',
    foundBy: 25,
    fault: 'crash-call',
    meetsOutside: true,
    plant: (bite) =>
      withStore('webhookEvents', (events) => ({
        add: (event, once) => {
          bite();
          void events.add(event, once).catch(() => undefined);
          return Promise.resolve('stored');
        },
      })),
  },
  {
    name: 'event of a webhook that its node left is not taken up',
    foundBy: 1,
    fault: 'crash-call',
    meetsOutside: true,
    plant: (bite) =>
      withStore('webhookEvents', (events) => ({
        due: async (now, limit) => {
          const due = await events.due(now, limit);
          if (due.length > 0) bite();
          return [];
        },
      })),
  },
  {
    name: 'task taken out of the index of waiting ones before it is completed',
    foundBy: 10,
    fault: 'unclear-commit',
    meetsOutside: true,
    plant: (bite) =>
      withStore('webhookWaits', (waits) => ({
        waiting: async (targets) => {
          const found = await waits.waiting(targets);
          for (const [i, target] of targets.entries()) {
            const taskIds = found[i] ?? [];
            if (taskIds.length > 0) bite();
            await waits.remove(target, taskIds);
          }
          return found;
        },
      })),
  },
  {
    name: 'task shown as waiting before a call can find it',
    foundBy: 47,
    fault: 'flaky-store',
    meetsOutside: true,
    plant: (bite) =>
      withStore('webhookWaits', (waits) => ({
        register: (target, taskId) => {
          waits.register(target, taskId).catch(bite);
          return Promise.resolve(true);
        },
        // What confirms it is not asked either.
        isRegistered: () => Promise.resolve(true),
      })),
  },
  {
    name: 'execution that a call starts has an id of its own each time',
    foundBy: 3,
    fault: 'unclear-commit',
    meetsOutside: true,
    plant: (bite) => ({ spoil: (node) => startAnew(node, bite) }),
  },
  {
    name: 'claim answered by a read of the task',
    foundBy: 9,
    meetsOutside: true,
    plant: (bite) => ({ spoil: (node) => claimByLooking(node, bite) }),
  },
  {
    name: 'delivery that the address refused counts as sent',
    foundBy: 6,
    meetsOutside: true,
    plant: (bite) =>
      withStore('outgoing', (store) => ({
        postpone: (delivery, _dueAt, attempt) => {
          bite();
          return store.finish(delivery, attempt, undefined);
        },
      })),
  },
];
