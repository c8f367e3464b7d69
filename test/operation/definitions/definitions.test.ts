import { afterEach, describe, expect, it } from 'vitest';
import type { Clock } from '../../../src/std/clock.js';
import { parseTaskDef } from '../../../src/model/parse-task-def.js';
import type { WorkflowDef } from '../../../src/model/workflow-def.js';
import { Definitions } from '../../../src/operation/definitions/definitions.js';
import { MemoryDefinitionStore } from './memory-definition-store.js';
import { parseWorkflowDef } from '../../support/parse-workflow-def.js';

/** A clock whose timers fire when the test says so. */
class ManualClock implements Clock {
  #timers: (() => void)[] = [];
  now = (): number => 1000;
  monotonic = (): number => 0;

  after(_delayMs: number, fire: () => void): { cancel(): void } {
    this.#timers.push(fire);
    return { cancel: () => (this.#timers = this.#timers.filter((each) => each !== fire)) };
  }

  fireAll(): void {
    const due = this.#timers;
    this.#timers = [];
    for (const fire of due) fire();
  }
}

const def = (version: number, over: object = {}): WorkflowDef =>
  parseWorkflowDef(
    { name: 'w', version, tasks: [{ name: 't', taskReferenceName: 't' }], ...over },
    '',
  );

const started: Definitions[] = [];
const failures: unknown[] = [];

async function node(store: MemoryDefinitionStore, clock?: Clock): Promise<Definitions> {
  const definitions = new Definitions({
    store,
    shownInput: () => undefined,
    ...(clock === undefined ? {} : { clock }),
    onLookFailed: (error) => failures.push(error),
  });
  await definitions.start();
  started.push(definitions);
  return definitions;
}

afterEach(async () => {
  for (const each of started.splice(0)) await each.stop();
  failures.length = 0;
});

describe('the definitions of a node', () => {
  it('answer at once with what was there at start and what has been written since', async () => {
    const store = new MemoryDefinitionStore();
    await store.putWorkflows([{ def: def(1) }, { def: def(3) }]);
    const definitions = await node(store);
    await definitions.putWorkflow(def(2), true);
    expect(definitions.workflowDef('w')?.version).toBe(3);
    expect(definitions.workflowDef('w', 0)?.version).toBe(3);
    expect(definitions.workflowDef('w', 2)?.version).toBe(2);
    expect(definitions.workflowDef('w', 4)).toBeUndefined();
    expect(definitions.table.versions('w').map((each) => each.version)).toEqual([1, 2, 3]);
    expect(definitions.table.names()).toEqual(['w']);
  });

  it('know the next lower version as latest when the highest is deleted', async () => {
    const definitions = await node(new MemoryDefinitionStore());
    await definitions.putWorkflows([def(2), def(5), def(1)]);
    expect(await definitions.deleteWorkflow('w', 5)).toBe(true);
    expect(await definitions.deleteWorkflow('w', 5)).toBe(false);
    expect(definitions.workflowDef('w')?.version).toBe(2);
    await definitions.deleteWorkflow('w', 2);
    await definitions.deleteWorkflow('w', 1);
    expect(definitions.table.names()).toEqual([]);
  });

  it('do not load everything again after writes of their own', async () => {
    const store = new MemoryDefinitionStore();
    const definitions = await node(store);
    for (let version = 1; version <= 5; version++)
      await definitions.putWorkflow(def(version), true);
    await definitions.putTasks([parseTaskDef({ name: 't' }, '')]);
    await definitions.refresh();
    expect(store.loads).toBe(1);
  });

  it('follow what another node writes', async () => {
    const store = new MemoryDefinitionStore();
    const [one, other] = [await node(store), await node(store)];
    await one.putWorkflow(def(1), true);
    await one.putTasks([parseTaskDef({ name: 't', retryCount: 8 }, '')]);
    await other.refresh();
    expect(other.workflowDef('w')?.version).toBe(1);
    expect(other.taskDef('t')?.retryCount).toBe(8);
  });

  it('notice by themselves when a notice was lost', async () => {
    const store = new MemoryDefinitionStore();
    store.notices = false;
    const clock = new ManualClock();
    const definitions = await node(store, clock);
    await store.putWorkflows([{ def: def(1) }]);
    clock.fireAll();
    // The check stands in line before this one.
    await definitions.refresh();
    expect(store.loads).toBe(2);
    expect(definitions.workflowDef('w')?.version).toBe(1);
  });

  it('are not set back by a load that began before a write', async () => {
    const store = new MemoryDefinitionStore();
    const definitions = await node(store);
    let open = (): void => undefined;
    store.loadGate = new Promise((resolve) => (open = resolve));
    await store.putTasks([parseTaskDef({ name: 'foreign' }, '')]);
    const write = definitions.putWorkflow(def(1), true);
    open();
    await write;
    await definitions.refresh();
    expect(definitions.workflowDef('w')?.version).toBe(1);
    expect(definitions.taskDef('foreign')).toBeDefined();
  });

  it('know what another node stored first when theirs is refused', async () => {
    const store = new MemoryDefinitionStore();
    const definitions = await node(store);
    store.notices = false;
    await store.putWorkflows([{ def: def(1, { description: 'first' }) }]);
    expect(await definitions.putWorkflow(def(1), true)).toBe('exists');
    expect(definitions.workflowDef('w')?.description).toBe('first');
  });

  it('keep what they have while the store is away, and refuse writes', async () => {
    const store = new MemoryDefinitionStore();
    const clock = new ManualClock();
    const definitions = await node(store, clock);
    await definitions.putWorkflow(def(1), true);
    // The check that the notice of this write has caused.
    await definitions.refresh();
    store.failure = new Error('away');
    await expect(definitions.putWorkflow(def(2), true)).rejects.toThrow('away');
    clock.fireAll();
    await expect(definitions.refresh()).rejects.toThrow('away');
    expect(failures).toHaveLength(1);
    expect(definitions.workflowDef('w')?.version).toBe(1);
    store.failure = undefined;
    await definitions.putWorkflow(def(2), true);
    expect(definitions.workflowDef('w')?.version).toBe(2);
  });

  it('take a new name at once beside a node that stores other names all the time', async () => {
    const store = new MemoryDefinitionStore();
    const definitions = await node(store);
    const putTasks = store.putTasks.bind(store);
    const putWorkflows = store.putWorkflows.bind(store);
    let others = 0;
    const other = (): Promise<number> =>
      putTasks([parseTaskDef({ name: `other${(others += 1)}` }, '')]);
    // The other node is faster each time.
    store.putTasks = async (...asked) => {
      await other();
      return await putTasks(...asked);
    };
    store.putWorkflows = async (...asked) => {
      await other();
      return await putWorkflows(...asked);
    };
    expect(await definitions.putTasks([parseTaskDef({ name: 'new' }, '')], ['new'])).toBe(1);
    const registration = { id: 'r', at: 1, by: 'a' };
    expect(await definitions.putWorkflow(def(1), true, registration)).toBe('stored');
    expect(others).toBe(2);
    expect(definitions.taskDef('new')).toBeDefined();
    expect(definitions.workflowDef('w')?.version).toBe(1);
  });

  it('do not take a new name that another node is about to take', async () => {
    const store = new MemoryDefinitionStore();
    const [here, there] = [await node(store), await node(store)];
    store.notices = false;
    await there.putWorkflow(def(2), true, { id: 'there', at: 1, by: 'b' });
    await there.putTasks([parseTaskDef({ name: 'same' }, '')], ['same']);
    expect(await here.putWorkflow(def(1), true, { id: 'here', at: 1, by: 'a' })).toBe('taken');
    expect(await here.putTasks([parseTaskDef({ name: 'same' }, '')], ['same'])).toBe(0);
    expect(here.table.versions('w').map(({ version }) => version)).toEqual([2]);
  });

  it('make a new snapshot when a task definition has changed', async () => {
    const definitions = await node(new MemoryDefinitionStore());
    const workflow = def(1);
    const before = definitions.snapshot(workflow);
    expect(definitions.snapshot(workflow)).toBe(before);
    await definitions.putTasks([parseTaskDef({ name: 't', retryCount: 1 }, '')]);
    expect(before.def.tasks[0]?.taskDefinition?.retryCount).toBe(3);
    expect(definitions.snapshot(workflow).def.tasks[0]?.taskDefinition?.retryCount).toBe(1);
  });
});
