// The name of a task that nobody has defined belongs to the workflow that named it first
// (docs/access.md, "Whose executions"): who defines it polls every task of it that is ever
// scheduled.
import { beforeAll, describe, expect, it } from 'vitest';
import type { Session } from '../../testkit/secured-server.js';
import { sharedSecuredServer } from '../support/shared-server.js';

const server = sharedSecuredServer(import.meta.url);
/** Saves the definition that names the task first. */
let first: Session;
let second: Session;

beforeAll(async () => {
  first = await server.user('task_name_owners_first@x.org', ['USER']);
  second = await server.user('task_name_owners_second@x.org', ['USER']);
});

const task = (name: string, type = 'SIMPLE'): object => ({ name, taskReferenceName: 'a', type });

async function save(who: Session, name: string, tasks: object[], version = 1): Promise<void> {
  const route = '/api/metadata/workflow?overwrite=true';
  expect(await who.status('POST', route, { name, version, tasks })).toBe(200);
}

async function define(who: Session, ...names: string[]): Promise<[number, string]> {
  const defs = names.map((name) => ({ name }));
  const { status, text } = await who.post('/api/metadata/taskdefs', defs);
  return [status, text];
}

const poll = (name: string): string => `/api/tasks/poll/batch/${name}?count=1&timeout=0`;

describe('a task name that a registered definition of somebody else holds', () => {
  it.each(['SIMPLE', 'HUMAN'])('is not taken while nothing of it runs: %s', async (type) => {
    const name = `task_name_owners_idle_${type}`;
    await save(first, `task_name_owners_names_${name}`, [task(name, type)]);
    expect(await define(second, name)).toEqual([403, expect.stringContaining(name)]);
    expect((await define(second, name))[1]).not.toContain(`task_name_owners_names_${name}`);
    expect(await define(second, `other_${name}`, name)).toEqual([403, expect.anything()]);
    expect(await server.admin.status('GET', `/api/metadata/taskdefs/other_${name}`)).toBe(404);
    expect(await second.status('GET', poll(name))).toBe(403);
    expect(await define(first, name)).toEqual([200, '']);
    expect([200, 204]).toContain(await first.status('GET', poll(name)));
    expect(await second.status('GET', poll(name))).toBe(403);
  });

  it('is not taken where the type is the name', async () => {
    await save(first, 'task_name_owners_names_own_type', [task('a task', 'OWN_TYPE')]);
    expect(await define(second, 'OWN_TYPE')).toEqual([403, expect.stringContaining('OWN_TYPE')]);
  });

  it('is not taken by naming it too, after that or in an older workflow', async () => {
    await save(second, 'task_name_owners_older', [task('of_second')]);
    await save(first, 'task_name_owners_names_shared', [task('task_name_owners_shared')]);
    await save(second, 'task_name_owners_older', [task('task_name_owners_shared')]);
    await save(second, 'task_name_owners_later', [task('task_name_owners_shared')]);
    expect(await define(second, 'task_name_owners_shared')).toEqual([
      403,
      expect.stringContaining('task_name_owners_shared'),
    ]);
    // Both run, each under the own definition.
    for (const [who, name] of [
      [first, 'task_name_owners_names_shared'],
      [second, 'task_name_owners_later'],
    ] as const) {
      const { status, text } = await who.post('/api/workflow', { name });
      expect(status).toBe(200);
      expect(await who.status('DELETE', `/api/workflow/${text}`)).toBe(200);
    }
    // Saving the definition again loses nothing, a new version neither.
    await save(
      first,
      'task_name_owners_names_shared',
      [task('task_name_owners_shared'), task('more')].slice(0, 1),
    );
    await save(first, 'task_name_owners_names_shared', [task('task_name_owners_shared')], 2);
    expect(
      await first.status('DELETE', '/api/metadata/workflow/task_name_owners_names_shared/1'),
    ).toBe(200);
    expect(await define(second, 'task_name_owners_shared')).toEqual([
      403,
      expect.stringContaining('task_name_owners_shared'),
    ]);
    expect(await define(first, 'task_name_owners_shared')).toEqual([200, '']);
  });

  it('is free when the definition names it no more', async () => {
    await save(first, 'task_name_owners_drops', [task('task_name_owners_dropped')]);
    await save(second, 'task_name_owners_takes', [task('task_name_owners_dropped')]);
    expect((await define(second, 'task_name_owners_dropped'))[0]).toBe(403);
    await save(first, 'task_name_owners_drops', [task('other')]);
    expect(await define(second, 'task_name_owners_dropped')).toEqual([200, '']);
  });

  it('is registered with UPDATE on the definition or on the task, and not with less', async () => {
    await save(first, 'task_name_owners_granted', [task('task_name_owners_granted_one')]);
    await save(first, 'task_name_owners_granted_too', [task('task_name_owners_granted_two')]);
    const worker = await server.application('task_name_owners_worker', ['METADATA_API', 'WORKER']);
    await server.grant(worker, 'WORKFLOW_DEF', 'task_name_owners_granted', ['READ', 'EXECUTE']);
    await server.grant(worker, 'TASK_DEF', 'task_name_owners_granted_two', ['EXECUTE']);
    expect((await define(worker, 'task_name_owners_granted_one'))[0]).toBe(403);
    expect((await define(worker, 'task_name_owners_granted_two'))[0]).toBe(403);
    await server.grant(worker, 'WORKFLOW_DEF', 'task_name_owners_granted', [
      'READ',
      'EXECUTE',
      'UPDATE',
    ]);
    await server.grant(worker, 'TASK_DEF', 'task_name_owners_granted_two', ['EXECUTE', 'UPDATE']);
    expect(
      await define(worker, 'task_name_owners_granted_one', 'task_name_owners_granted_two'),
    ).toEqual([200, '']);
    expect([200, 204]).toContain(await worker.status('GET', poll('task_name_owners_granted_one')));
  });

  it('is registered by administrators', async () => {
    await save(first, 'task_name_owners_left', [task('task_name_owners_left_alone')]);
    expect(await define(server.admin, 'task_name_owners_left_alone')).toEqual([200, '']);
  });
});
