// A write of definitions waits for its turn. Rights on names that were known are asked when it has
// come: the name may be another caller's by then (invariants S26).
import { beforeEach, describe, expect, it } from 'vitest';
import {
  buildRights,
  rightsRecords,
  type Rights,
} from '../../../src/areas/identity/rights/build-rights.js';
import { createConfigurationCheck } from '../../../src/engine/check-configuration.js';
import type { Caller } from '../../../src/model/caller.js';
import { parseTaskDef } from '../../../src/model/parse-task-def.js';
import { DefinitionWarnings } from '../../../src/operation/definitions/definition-warnings.js';
import { Definitions } from '../../../src/operation/definitions/definitions.js';
import { TaskDefinitions } from '../../../src/operation/definitions/task-definitions.js';
import { WorkflowDefinitions } from '../../../src/operation/definitions/workflow-definitions.js';
import { RecordTables } from '../../../src/operation/records/record-tables.js';
import { systemClock } from '../../../src/std/clock.js';
import { systemTaskTypes } from '../../support/every-plugin.js';
import { parseWorkflowDef } from '../../support/parse-workflow-def.js';
import { MemoryRecordStore } from '../records/memory-record-store.js';
import { MemoryDefinitionStore } from './memory-definition-store.js';

const person = (id: string): Caller => ({ kind: 'user', id, roles: ['USER'], groups: [] });
const [ann, bob] = [person('ann@x.test'), person('bob@x.test')];
const forbidden = { kind: 'forbidden' };

const workflow = parseWorkflowDef(
  { name: 'x', version: 1, tasks: [{ name: 't', taskReferenceName: 't' }] },
  '',
);
const task = parseTaskDef({ name: 'x' }, '');

interface Node {
  readonly rights: Rights;
  readonly definitions: Definitions;
  readonly workflows: WorkflowDefinitions;
  readonly tasks: TaskDefinitions;
  /** Reads what others have stored. */
  follow(): Promise<void>;
}

function failed(error: unknown): never {
  throw error;
}

async function nodeOn(store: MemoryDefinitionStore, records: MemoryRecordStore): Promise<Node> {
  const clock = systemClock;
  const definitions = new Definitions({ store, shownInput: () => undefined, onLookFailed: failed });
  await definitions.refresh();
  const tables = new RecordTables(records, clock, failed);
  const definitionTable = () => definitions.table;
  const ports = { clock, definitionTable, hasNamedEvery: () => false };
  const opened = tables.openAll(rightsRecords);
  const rights = buildRights(ports, opened, true);
  await tables.start();
  let drawn = 0;
  const parts = {
    ...{ definitions, clock, access: rights.access, tags: rights.tags },
    rules: {
      checkConfiguration: createConfigurationCheck(systemTaskTypes, {
        checkSyntax: () => undefined,
        taskDef: (name) => definitions.taskDef(name),
      }),
      ...{ ownerEmailRequired: false, namesChecked: false, environmentNames: new Set<string>() },
    },
    ownership: rights.definitionOwners,
    taskUse: { require: () => undefined },
    workflowUse: { require: () => undefined },
    claims: {
      workflow: ({ id: by }: Caller) =>
        Promise.resolve({ id: `registration ${++drawn} of ${by}`, at: drawn, by }),
      tasks: () => Promise.resolve(),
    },
    warnings: new DefinitionWarnings({ absence: () => undefined, warn: () => undefined }),
  };
  return {
    ...{ rights, definitions },
    workflows: new WorkflowDefinitions(parts),
    tasks: new TaskDefinitions(parts),
    follow: async () => {
      await definitions.refresh();
      await opened.grants.refresh();
    },
  };
}

let store: MemoryDefinitionStore;
/** Where the late calls wait. */
let here: Node;
/** Where the name passes on. */
let there: Node;

const register = ({ workflows }: Node, caller: Caller, newVersion = false): Promise<void> =>
  workflows.register(workflow, { caller, overwrite: true, newVersion });

beforeEach(async () => {
  store = new MemoryDefinitionStore();
  const records = new MemoryRecordStore();
  here = await nodeOn(store, records);
  there = await nodeOn(store, records);
  await register(here, ann);
  await here.tasks.registerAll(ann, [task]);
  await there.follow();
});

/** Holds the writes of this node until the function that it returns is called. */
function heldHere(): () => void {
  let go = (): void => undefined;
  const putTasks = store.putTasks.bind(store);
  store.putTasks = async (...asked) => {
    store.putTasks = putTasks;
    await new Promise<void>((resolve) => (go = resolve));
    return await putTasks(...asked);
  };
  void here.definitions.putTasks([parseTaskDef({ name: 'holds' }, '')]);
  return () => go();
}

/** Ann's definitions go, and Bob registers them, at the other node. */
async function passOn(): Promise<void> {
  await there.workflows.delete(ann, 'x', 1);
  await there.tasks.delete(ann, 'x');
  await register(there, bob);
  await there.tasks.registerAll(bob, [task]);
}

describe('a write that waits for its turn while its name becomes that of another caller', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['replaces no workflow', () => register(here, ann)],
    ['adds no version', () => register(here, ann, true)],
    ['replaces none of a list', () => here.workflows.registerAll([workflow], asAnn)],
    ['adds none of a list', () => here.workflows.registerAll([workflow], asNew)],
    ['deletes no workflow', () => here.workflows.delete(ann, 'x', 1)],
    ['replaces no task', () => here.tasks.registerAll(ann, [task])],
    ['updates no task', () => here.tasks.update(ann, task)],
    ['deletes no task', () => here.tasks.delete(ann, 'x')],
  ])('%s', async (_what, write) => {
    const go = heldHere();
    const late = write();
    await passOn();
    go();
    await expect(late).rejects.toMatchObject(forbidden);
    await here.follow();
    expect(here.workflows.versions('x')).toHaveLength(1);
    expect(here.workflows.get('x')).toMatchObject({ createdBy: bob.id });
    expect(here.workflows.get('x').updatedBy).not.toBe(ann.id);
    expect(here.tasks.get('x')).toMatchObject({ createdBy: bob.id });
    expect(here.tasks.get('x').updatedBy).not.toBe(ann.id);
  });
});

const asAnn = { caller: ann, newVersion: false };
const asNew = { caller: ann, newVersion: true };

it('who deleted the last version keeps no right on what another registers at once', async () => {
  const deleteWorkflow = store.deleteWorkflow.bind(store);
  store.deleteWorkflow = async (...asked) => {
    const existed = await deleteWorkflow(...asked);
    await there.follow();
    await register(there, bob);
    return existed;
  };
  await here.workflows.delete(ann, 'x', 1);
  await here.follow();
  const mayDo = (caller: Caller): boolean =>
    here.rights.access.may(caller, 'EXECUTE', { type: 'WORKFLOW_DEF', id: 'x' });
  expect([mayDo(ann), mayDo(bob)]).toEqual([false, true]);
});
