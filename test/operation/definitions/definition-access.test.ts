// What callers without the role ADMIN may do with definitions (contract-admin 5.2, 6.4).
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import type { AccessRules } from '../../../src/access/access-rules.js';
import { localAdministrator, type Caller } from '../../../src/model/caller.js';
import { parseTaskDef } from '../../../src/model/parse-task-def.js';
import type { TaskDef } from '../../../src/model/task-def.js';
import type { WorkflowDef } from '../../../src/model/workflow-def.js';
import { Definitions } from '../../../src/operation/definitions/definitions.js';
import { TaskDefinitions } from '../../../src/operation/definitions/task-definitions.js';
import { DefinitionWarnings } from '../../../src/operation/definitions/definition-warnings.js';
import { WorkflowDefinitions } from '../../../src/operation/definitions/workflow-definitions.js';
import { RecordTables } from '../../../src/operation/records/record-tables.js';
import { identityRecords, IdentityTables } from '../../../src/areas/identity/identity-tables.js';
import {
  DefinitionOwners,
  pendingOwnerCodec,
} from '../../../src/areas/identity/rights/definition-owners.js';
import { Acting } from '../../../src/areas/identity/rights/acting.js';
import { RecordedOwnership } from '../../../src/areas/identity/rights/ownership.js';
import { Tags, tagsCodec } from '../../../src/operation/tags/tags.js';
import { MemoryRecordStore } from '../records/memory-record-store.js';
import { createConfigurationCheck } from '../../../src/engine/check-configuration.js';
import { systemTaskTypes } from '../../support/every-plugin.js';
import { systemClock } from '../../../src/std/clock.js';
import type { Registration } from '../../../src/model/name-registration.js';
import { MemoryDefinitionStore } from './memory-definition-store.js';
import { parseWorkflowDef } from '../../support/parse-workflow-def.js';

const person = (id: string): Caller => ({ kind: 'user', id, roles: [], groups: [] });
const maker = person('maker');
const reader = person('reader');

/** The maker may create; the reader may read what is called `shown`. */
const access: AccessRules = {
  may: (caller, right, { id }) => caller === reader && right === 'READ' && id === 'shown',
  isNameHeld: () => true,
  heldSince: () => 0,
  hasPermission: (caller, name) =>
    caller === maker && (name === 'CREATE_WORKFLOW_DEF' || name === 'CREATE_TASK_DEF'),
};

const taskDef = (name: string): TaskDef => parseTaskDef({ name }, '');
const workflowDef = (name: string): WorkflowDef =>
  parseWorkflowDef({ name, tasks: [{ name: 't', taskReferenceName: 't' }] }, '');

let identities: IdentityTables;
let tasks: TaskDefinitions;
let workflows: WorkflowDefinitions;
const register = (caller: Caller, name: string): Promise<void> =>
  workflows.register(workflowDef(name), { caller, overwrite: true, newVersion: false });

beforeEach(async () => {
  const store = new MemoryDefinitionStore();
  const definitions = new Definitions({
    store,
    shownInput: () => undefined,
    clock: systemClock,
    onLookFailed: (error) => {
      throw error;
    },
  });
  await definitions.refresh();
  const rules = {
    checkConfiguration: createConfigurationCheck(systemTaskTypes, {
      checkSyntax: () => undefined,
      taskDef: (name) => definitions.taskDef(name),
    }),
    ownerEmailRequired: false,
    namesChecked: false,
    environmentNames: new Set<string>(),
  };
  const tables = new RecordTables(new MemoryRecordStore(), systemClock, (error) => {
    throw error;
  });
  const tags = new Tags(tables.open(tagsCodec));
  identities = new IdentityTables(tables.openAll(identityRecords));
  const ownership = new DefinitionOwners({
    ...{
      table: tables.open(pendingOwnerCodec),
      identities,
      clock: systemClock,
      randomId: randomUUID,
    },
    ownerOf: new Acting(identities, true).ownerOf,
    ownership: new RecordedOwnership(identities, tags),
  });
  let drawn = 0;
  const claims = {
    workflow: (caller: Caller): Promise<Registration> =>
      Promise.resolve({ id: `registration ${++drawn}`, at: 0, by: caller.id }),
    tasks: (): Promise<void> => Promise.resolve(),
  };
  const parts = {
    definitions,
    clock: systemClock,
    rules,
    access,
    tags,
    ownership,
    taskUse: { require: () => undefined },
    workflowUse: { require: () => undefined },
    claims,
    warnings: new DefinitionWarnings({ absence: () => undefined, warn: () => undefined }),
  };
  await tables.start();
  tasks = new TaskDefinitions(parts);
  workflows = new WorkflowDefinitions(parts);
  for (const name of ['shown', 'hidden']) await register(localAdministrator, name);
  await tasks.registerAll(localAdministrator, [taskDef('shown'), taskDef('hidden')]);
});

describe('definitions', () => {
  it('are created by those with the permission, and name their creator', async () => {
    await register(maker, 'new');
    await tasks.registerAll(maker, [taskDef('new')]);
    expect(workflows.get('new').createdBy).toBe('maker');
    expect(tasks.get('new').createdBy).toBe('maker');
    await expect(register(reader, 'other')).rejects.toMatchObject({ kind: 'forbidden' });
    const refused = tasks.registerAll(reader, [taskDef('other')]);
    await expect(refused).rejects.toMatchObject({ kind: 'forbidden' });
    expect(() => tasks.get('other')).toThrow();
  });

  it('belong to their creator until they are deleted', async () => {
    const owners = (type: 'WORKFLOW_DEF' | 'TASK_DEF', id: string): string[] =>
      identities.grantsOn({ type, id }).map(({ subject }) => subject.id);
    await register(maker, 'new');
    await tasks.registerAll(maker, [taskDef('new')]);
    expect([owners('WORKFLOW_DEF', 'new'), owners('TASK_DEF', 'new')]).toEqual([
      ['maker'],
      ['maker'],
    ]);
    expect(owners('WORKFLOW_DEF', 'shown')).toEqual([]);
    await workflows.delete(localAdministrator, 'new', 1);
    await tasks.delete(localAdministrator, 'new');
    expect([owners('WORKFLOW_DEF', 'new'), owners('TASK_DEF', 'new')]).toEqual([[], []]);
  });

  it('are replaced only by those with UPDATE on them', async () => {
    await expect(register(maker, 'shown')).rejects.toMatchObject({ kind: 'forbidden' });
    const list = workflows.registerAll([workflowDef('shown')], { caller: maker, newVersion: true });
    await expect(list).rejects.toMatchObject({ kind: 'forbidden' });
    const update = tasks.update(maker, taskDef('shown'));
    await expect(update).rejects.toMatchObject({ kind: 'forbidden' });
  });

  it('are listed as far as the caller may read them', () => {
    expect(workflows.names(reader)).toEqual(['shown']);
    expect(Object.keys(workflows.namesAndVersions(reader))).toEqual(['shown']);
    expect(workflows.latestVersions(reader).map(({ name }) => name)).toEqual(['shown']);
    expect(workflows.list(reader, {}).map(({ name }) => name)).toEqual(['shown']);
    expect(tasks.list(reader).map(({ name }) => name)).toEqual(['shown']);
    expect(tasks.list(localAdministrator)).toHaveLength(2);
    // Rights that are asked for count beside READ.
    expect(workflows.list(reader, { rights: ['READ'] })).toHaveLength(1);
    expect(workflows.list(reader, { rights: ['UPDATE'] })).toEqual([]);
    expect(tasks.list(reader, {}, ['DELETE'])).toEqual([]);
    expect(tasks.list(localAdministrator, {}, ['DELETE'])).toHaveLength(2);
  });

  it('show no creator while authentication is off', () => {
    expect(workflows.get('shown').createdBy).toBeUndefined();
    expect(tasks.get('shown').createdBy).toBe('');
  });
});
