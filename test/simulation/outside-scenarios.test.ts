// Courses of events with the world outside, carried out step by step.
import { expect, it } from 'vitest';
import { localAdministrator, type Caller } from '../../src/model/caller.js';
import { Payload } from '../../src/model/payload.js';
import type { HumanTasks } from '../../src/areas/human/human-tasks.js';
import { executionIdOf, shardOf, taskIdOf, type TaskId } from '../../src/std/ids.js';
import { inCluster, until } from './in-cluster.js';
import { shards, type SimulatedNode } from './node.js';
import { definitions } from './workload-definitions.js';
import { askedName } from './outside/definitions.js';

const id = executionIdOf(3, Buffer.alloc(10, 7));

function person(name: string): Caller {
  return { kind: 'user', id: name, roles: [], groups: [] };
}

/** A human task that waits. */
async function askIn(node: SimulatedNode): Promise<TaskId> {
  await node.executions.startAs(id, {
    snapshot: definitions.snapshotOf(askedName),
    attributes: { priority: 0, taskToDomain: {} },
    input: Payload.of({}),
  });
  return taskIdOf(id, 1);
}

/** The next command of the node waits until it is released: it has been checked, and not sent. */
function holdCommand({ executions }: SimulatedNode): { isHeld: boolean; letGo: () => void } {
  const command = executions.command.bind(executions);
  const held = { isHeld: false, letGo: (): void => undefined };
  executions.command = async (...args) => {
    executions.command = command;
    held.isHeld = true;
    await new Promise<void>((resolve) => (held.letGo = resolve));
    return await command(...args);
  };
  return held;
}

it.each([
  ['releases', (people: HumanTasks, taskId: TaskId) => people.release(person('first'), taskId)],
  [
    'completes',
    (people: HumanTasks, taskId: TaskId) =>
      people.update(person('first'), taskId, { by: 'first' }, true),
  ],
])('keeps a human task with who holds it when a former claimant %s it late', async (_what, act) => {
  const isKept = await inCluster({ nodes: 2, meetsOutside: true }, async (cluster) => {
    const [one, other] = [...cluster.nodes.values()] as [SimulatedNode, SimulatedNode];
    await until(cluster, () => one.owned.all.length + other.owned.all.length === shards);
    const taskId = await askIn(one);
    const people = other.outside?.people as HumanTasks;
    await people.claim(person('first'), taskId, false);
    const held = holdCommand(one);
    const acting = act(one.outside?.people as HumanTasks, taskId);
    acting.catch(() => undefined);
    await until(cluster, () => held.isHeld);
    await people.release(localAdministrator, taskId);
    await people.claim(person('second'), taskId, false);
    held.letGo();
    await expect(acting).rejects.toMatchObject({ kind: 'forbidden' });
    const entry = await people.find(taskId, 'not-found');
    expect(entry).toMatchObject({ state: 'IN_PROGRESS', claimant: { user: 'second' } });
    await people.update(person('second'), taskId, { by: 'second' }, true);
  });
  expect(isKept).toBe(true);
});

it('shows a human task as it is, whatever a former owner tells the index late', async () => {
  const isShown = await inCluster({ nodes: 2, meetsOutside: true }, async (cluster) => {
    const nodes = [...cluster.nodes.values()];
    await until(cluster, () => nodes.every(({ owned }) => owned.all.length > 0));
    const taskId = await askIn(nodes[0] as SimulatedNode);
    const shard = shardOf(id, shards);
    const former = nodes.find(({ owned }) => owned.has(shard)) as SimulatedNode;
    const next = nodes.find((node) => node !== former) as SimulatedNode;
    const stateInIndex = async (): Promise<string | undefined> =>
      (await next.stores.humanTasks.entries([taskId]))[0]?.state;
    const telling = holdPut(former);
    await former.outside?.people.claim(person('first'), taskId, false);
    await until(cluster, () => telling.isHeld);
    former.clock.pause();
    await until(cluster, () => next.owned.has(shard));
    await next.outside?.people.update(localAdministrator, taskId, {}, true);
    while ((await stateInIndex()) !== 'COMPLETED') await cluster.workload.pause(50);
    former.clock.proceed();
    telling.letGo();
    await cluster.workload.pause(2000);
    expect(await stateInIndex()).toBe('COMPLETED');
  });
  expect(isShown).toBe(true);
});

/** The next change that the node tells the index of is on its way until it is released. */
function holdPut({ stores }: SimulatedNode): { isHeld: boolean; letGo: () => void } {
  const { humanTasks } = stores;
  const put = humanTasks.put.bind(humanTasks);
  const held = { isHeld: false, letGo: (): void => undefined };
  humanTasks.put = async (entry) => {
    humanTasks.put = put;
    held.isHeld = true;
    await new Promise<void>((resolve) => (held.letGo = resolve));
    await put(entry);
  };
  return held;
}
