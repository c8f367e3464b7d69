// What somebody may do and by which role or grant, everything that was granted, and who is signed
// in: for administrators alone.
import { beforeAll, describe, expect, it } from 'vitest';
import { sharedSecuredServer } from '../support/shared-server.js';
import type { Session } from '../../testkit/secured-server.js';

interface Explained {
  readonly right: string;
  readonly held: boolean;
  readonly by: readonly object[];
}

describe('access that is explained', () => {
  const secured = sharedSecuredServer(import.meta.url);
  let kim: Session;
  beforeAll(async () => {
    const { admin } = secured;
    await admin.put('/api/groups/explained_access_ops', {
      description: 'Operators',
      roles: ['METADATA_MANAGER'],
    });
    kim = await secured.userWithPassword(
      'explained_access_kim@example.com',
      ['USER'],
      ['explained_access_ops'],
    );
    await admin.put('/api/metadata/workflow', [
      {
        ...{ name: 'explained_access_order', version: 1, ownerEmail: 'a@b.co', schemaVersion: 2 },
        tasks: [{ name: 'explained_access_charge', taskReferenceName: 'charge', type: 'SIMPLE' }],
      },
    ]);
    await admin.put('/api/metadata/workflow/explained_access_order/tags', [
      { key: 'team', value: 'explained_access_a' },
    ]);
  });

  const explain = async (
    id = 'explained_access_kim@example.com',
    name = 'explained_access_order',
  ): Promise<Explained[]> => {
    const path = `/api/users/${id}/access?type=WORKFLOW_DEF&id=${name}`;
    return (await secured.admin.get(path)).body as Explained[];
  };
  const right = async (name: string, id?: string): Promise<Explained | undefined> =>
    (await explain(id)).find((each) => each.right === name);
  const grantTo = (subject: object, target: object, access: readonly string[]): Promise<unknown> =>
    secured.admin.post('/api/auth/authorization', { subject, target, access });

  it('names the role and the group that it comes by', async () => {
    const group = { type: 'GROUP', id: 'explained_access_ops' };
    expect(await right('READ')).toMatchObject({
      held: true,
      by: [{ kind: 'role', role: 'METADATA_MANAGER', subject: group }],
    });
    expect(await right('EXECUTE')).toEqual({ right: 'EXECUTE', held: false, by: [] });
  });

  it('names the grant, on the resource, on all of its type and on a tag', async () => {
    const user = { type: 'USER', id: 'explained_access_kim@example.com' };
    const own = { type: 'WORKFLOW_DEF', id: 'explained_access_order' };
    const every = { type: 'WORKFLOW_DEF', id: '*' };
    const tag = { type: 'TAG', id: 'team:explained_access_a' };
    await grantTo(user, own, ['EXECUTE']);
    await grantTo({ type: 'GROUP', id: 'explained_access_ops' }, every, ['EXECUTE']);
    await grantTo({ type: 'ROLE', id: 'USER' }, tag, ['EXECUTE']);
    const { held, by } = (await right('EXECUTE')) ?? { held: false, by: [] };
    expect(held).toBe(true);
    expect(by).toEqual(
      expect.arrayContaining([
        { kind: 'grant', subject: user, target: own },
        { kind: 'grant', subject: { type: 'GROUP', id: 'explained_access_ops' }, target: every },
        { kind: 'grant', subject: { type: 'ROLE', id: 'USER' }, target: tag },
      ]),
    );
    expect(by).toHaveLength(3);
  });

  it('says the same as the check of permissions, for each right', async () => {
    for (const name of ['explained_access_order', 'explained_access_other']) {
      const path = `/api/users/explained_access_kim@example.com/checkPermissions?type=WORKFLOW_DEF&id=${name}`;
      const checked = (await secured.admin.get(path)).body as Record<string, boolean>;
      const explained = await explain('explained_access_kim@example.com', name);
      expect(Object.fromEntries(explained.map((one) => [one.right, one.held]))).toEqual(checked);
      for (const { held, by } of explained) expect(by.length > 0).toBe(held);
    }
  });

  it('tells of an application that a grant is in vain while it lacks the role', async () => {
    const worker = await secured.application('explained_access_worker');
    const target = { type: 'TASK_DEF', id: 'explained_access_charge' };
    await grantTo({ type: 'USER', id: worker.subject }, target, ['EXECUTE']);
    const path = `/api/users/${worker.subject}/access?type=TASK_DEF&id=explained_access_charge`;
    const told = (await secured.admin.get(path)).body as Explained[];
    const execute = told.find((each) => each.right === 'EXECUTE');
    expect(execute).toMatchObject({ held: false, by: [{ kind: 'grant' }] });
  });

  it('lists everything that was granted, by resource', async () => {
    const all = (await secured.admin.get('/api/admin/grants')).body as readonly {
      target: { type: string; id: string };
    }[];
    const names = all.map(({ target }) => `${target.type}:${target.id}`);
    expect(names).toEqual([...names].sort());
    expect(names).toEqual(
      expect.arrayContaining(['TAG:team:explained_access_a', 'WORKFLOW_DEF:*']),
    );
    const tags = (await secured.admin.get('/api/admin/grants?resourceType=TAG')).body as typeof all;
    for (const { target } of tags) expect(target.type).toBe('TAG');
    expect(tags.filter(({ target }) => target.id === 'team:explained_access_a')).toMatchObject([
      { isOwner: false },
    ]);
  });

  it('lists who is signed in, with their name', async () => {
    const sessions = (await secured.admin.get('/api/admin/sessions')).body as readonly {
      person: string;
    }[];
    const person = 'explained_access_kim@example.com';
    const own = sessions.filter((session) => session.person === person);
    expect(own).toMatchObject([{ name: person, kind: 'token', isOwn: false }]);
  });

  it('is for administrators alone', async () => {
    for (const path of [
      '/api/admin/sessions',
      '/api/admin/grants',
      '/api/users/explained_access_kim@example.com/access?type=WORKFLOW_DEF&id=explained_access_order',
    ]) {
      expect((await kim.get(path)).status, path).toBe(403);
    }
  });
});
