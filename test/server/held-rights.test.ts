// Nobody gives, makes keys for, or changes what has more rights than he has, and the last
// administrator stays one (docs/access.md, Nobody gives what he does not have).
import { beforeAll, describe, expect, it } from 'vitest';
import { refusedElsewhere } from '../support/declared-refusals.js';
import { sharedSecuredServer } from '../support/shared-server.js';
import { adminCommand, SecuredServer, type Session } from '../../testkit/secured-server.js';

const server = sharedSecuredServer(import.meta.url);
let admin: Session;
let manager: Session;
let user: Session;

const applications = '/api/applications';
const authorization = '/api/auth/authorization';

beforeAll(async () => {
  ({ admin } = server);
  manager = await server.user('held_rights_manager@x.org', ['APPLICATION_MANAGER']);
  user = await server.user('held_rights_user@x.org', ['USER']);
});

async function administrators(): Promise<{ id: string; key: string }> {
  const listed = (await admin.get(applications)).body as { id: string; name: string }[];
  const { id } = listed.find(({ name }) => name === 'administrator') as { id: string };
  const keys = (await admin.get(`${applications}/${id}/accessKeys`)).body as { id: string }[];
  return { id, key: keys[0]?.id as string };
}

describe('an application manager', () => {
  it('makes no key for an application with more rights, and changes nothing of it', async () => {
    const { id, key } = await administrators();
    const path = `${applications}/${id}`;
    const refused = await manager.post(`${path}/accessKeys`);
    expect(refused.status).toBe(403);
    expect(refused.body.message).toContain(id);
    expect(await manager.status('POST', `${path}/accessKeys/${key}/status`)).toBe(403);
    expect(await manager.status('DELETE', `${path}/accessKeys/${key}`)).toBe(403);
    expect(await manager.status('POST', `${path}/roles/WORKER`)).toBe(403);
    expect(await manager.status('DELETE', `${path}/roles/ADMIN`)).toBe(403);
    expect(await manager.status('PUT', path, { name: 'mine' })).toBe(403);
    expect(await manager.status('PUT', `${path}/tags`, [{ key: 'a', value: 'b' }])).toBe(403);
    expect(await manager.status('DELETE', `${path}/tags`, [{ key: 'a', value: 'b' }])).toBe(403);
    expect(await manager.status('DELETE', path)).toBe(403);
    expect((await admin.get(path)).body.name).toBe('administrator');
  });

  it('counts roles of groups and grants of every kind as rights', async () => {
    await admin.put('/api/groups/held_rights_leaders', { description: 'lead', roles: ['ADMIN'] });
    await admin.put('/api/groups/held_rights_payers', { description: 'pay' });
    const grant = (type: string, id: string): unknown => ({
      subject: { type, id },
      target: { type: 'WORKFLOW_DEF', id: 'held_rights_payment' },
      access: ['EXECUTE'],
    });
    const grouped = await server.application('held_rights_grouped');
    await admin.post(`/api/groups/held_rights_leaders/users/${grouped.subject}`);
    const granted = await server.application('held_rights_granted');
    await admin.post(authorization, grant('USER', granted.subject));
    const paying = await server.application('held_rights_paying');
    await admin.post(`/api/groups/held_rights_payers/users/${paying.subject}`);
    await admin.post(authorization, grant('GROUP', 'held_rights_payers'));
    const plain = await server.application('held_rights_plain', ['WORKER']);
    const keyOf = ({ subject }: Session): Promise<number> =>
      manager.status('POST', `${applications}/${subject.slice(4)}/accessKeys`);
    expect(await keyOf(grouped)).toBe(403);
    expect(await keyOf(granted)).toBe(403);
    expect(await keyOf(paying)).toBe(403);
    expect(await keyOf(plain)).toBe(200);
    await server.grant(manager, 'WORKFLOW_DEF', 'held_rights_payment', ['EXECUTE']);
    expect(await keyOf(granted)).toBe(200);
  });

  it('gives no role whose rights he does not have', async () => {
    const { subject } = await server.application('held_rights_receives');
    const roles = `${applications}/${subject.slice(4)}/roles`;
    expect(await manager.status('POST', `${roles}/METADATA_API`)).toBe(403);
    expect(await manager.status('POST', `${roles}/WORKER`)).toBe(200);
    await admin.post(`${roles}/METADATA_API`);
    expect(await manager.status('DELETE', `${roles}/METADATA_API`)).toBe(403);
  });
});

describe('the owner of an application', () => {
  it('makes keys for it until somebody gives it more than he has', async () => {
    const { id } = (await user.post(applications, { name: 'held_rights_shop' })).body;
    const path = `${applications}/${id}`;
    expect(await user.status('POST', `${path}/roles/METADATA_API`)).toBe(200);
    const { id: keyId, secret: keySecret } = (await user.post(`${path}/accessKeys`)).body;
    const { token } = (await server.nobody.post('/api/token', { keyId, keySecret })).body;
    const headers = { 'x-authorization': token as string };
    const flow = {
      name: 'held_rights_of_the_shop',
      tasks: [{ name: 'n', taskReferenceName: 'n', type: 'NOOP' }],
    };
    const made = await server.nobody.request('POST', '/api/metadata/workflow', flow, headers);
    expect(made.status, made.text).toBe(200);
    expect(await user.status('POST', `${path}/accessKeys`)).toBe(200);
    await admin.post(`${path}/roles/WORKFLOW_MANAGER`);
    expect(await user.status('POST', `${path}/accessKeys`)).toBe(403);
    expect(await user.status('DELETE', path)).toBe(403);
  });
});

describe('a grant', () => {
  const target = { type: 'WORKFLOW_DEF', id: 'held_rights_granted_flow' };

  it('is not taken from somebody with more rights on the resource', async () => {
    const owner = await server.user('held_rights_owner@x.org', ['USER']);
    await server.grant(owner, target.type, target.id, ['READ', 'EXECUTE', 'UPDATE']);
    await server.grant(user, target.type, target.id, ['READ']);
    const subject = { type: 'USER', id: owner.subject };
    const revoke = { subject, target, access: ['READ'] };
    expect(await user.status('DELETE', authorization, revoke)).toBe(403);
    const own = { ...revoke, subject: { type: 'USER', id: user.subject } };
    expect(await owner.status('DELETE', authorization, own)).toBe(200);
  });

  it('is shown to those who have a right on the resource, not to all who may create', async () => {
    const creator = await server.user('held_rights_creator@x.org', ['USER']);
    const path = `${authorization}/WORKFLOW_DEF/${target.id}`;
    expect(await creator.status('GET', path)).toBe(403);
    const flow = {
      name: 'held_rights_own_flow',
      tasks: [{ name: 'n', taskReferenceName: 'n', type: 'NOOP' }],
    };
    await creator.post('/api/metadata/workflow', flow);
    const own = await creator.get(`${authorization}/WORKFLOW_DEF/held_rights_own_flow`);
    expect(own.body.READ).toEqual([{ type: 'USER', id: 'held_rights_creator@x.org' }]);
  });
});

describe('a tag that carries grants', () => {
  it('is put on a resource by those only who have what it gives there', async () => {
    const tag = { key: 'team', value: 'held_rights_red' };
    const editor = await server.user('held_rights_editor@x.org', ['USER']);
    const flow = {
      name: 'held_rights_tagged_flow',
      tasks: [{ name: 'n', taskReferenceName: 'n', type: 'NOOP' }],
    };
    await admin.post('/api/metadata/workflow', flow);
    await server.grant(editor, 'WORKFLOW_DEF', 'held_rights_tagged_flow', ['READ', 'UPDATE']);
    await server.grant(editor, 'TAG', 'team:held_rights_red', ['READ', 'EXECUTE']);
    const path = '/api/metadata/workflow/held_rights_tagged_flow/tags';
    const refused = await editor.post(path, tag);
    expect(refused.status).toBe(403);
    expect(refused.body.message).toContain('team:held_rights_red');
    expect(await editor.status('PUT', path, [tag])).toBe(403);
    expect(
      await editor.status('POST', '/api/metadata/tags/workflow/held_rights_tagged_flow', tag),
    ).toBe(403);
    expect(await editor.status('POST', path, { key: 'team', value: 'held_rights_blue' })).toBe(200);
    await server.grant(editor, 'WORKFLOW_DEF', 'held_rights_tagged_flow', ['EXECUTE']);
    expect(await editor.status('POST', path, tag)).toBe(200);
  });

  it('of schedules, secrets and all others too', async () => {
    const tag = { key: 'team', value: 'held_rights_green' };
    const editor = await server.user('held_rights_tagger@x.org', ['USER']);
    await server.grant(editor, 'TAG', 'team:held_rights_green', ['READ']);
    await admin.put('/api/secrets/held_rights_tag_secret', 'v');
    await server.grant(editor, 'SECRET_NAME', 'held_rights_tag_secret', ['UPDATE']);
    expect(await editor.status('PUT', '/api/secrets/held_rights_tag_secret/tags', [tag])).toBe(403);
    await server.grant(editor, 'SECRET_NAME', 'held_rights_tag_secret', ['READ']);
    expect(await editor.status('PUT', '/api/secrets/held_rights_tag_secret/tags', [tag])).toBe(200);
  });
});

describe('an id of the server itself', () => {
  it('is given to no person, whose executions would have all rights', async () => {
    const refused = await admin.put('/api/users/System', { name: 's', roles: ['USER'] });
    expect(refused.status).toBe(400);
    expect(refused.body.message).toContain('id must not be system');
  });
});

describe('the command that makes an administrator', () => {
  it('does not raise an application of the name that somebody else made', async () => {
    const other = await SecuredServer.start();
    try {
      const before = (await other.admin.get(applications)).body as { id: string }[];
      for (const { id } of before) await other.admin.get(`${applications}/${id}`);
      const maker = await other.user('maker@x.org', ['USER', 'ADMIN']);
      await maker.put(`${applications}/${before[0]?.id}`, { name: 'renamed' });
      const plain = await other.user('plain@x.org', ['USER']);
      const { id } = (await plain.post(applications, { name: 'administrator' })).body;
      await adminCommand(other.server, ['create-key']);
      expect((await maker.get(`/api/users/app:${id}`)).body.roles).toEqual([]);
    } finally {
      await other.stop();
    }
  });
});

describe('the last administrator', () => {
  it('is not removed, demoted, or left without a key', async () => {
    const alone = await SecuredServer.start();
    try {
      const { admin: last } = alone;
      const [made] = (await last.get(applications)).body as { id: string }[];
      const path = `${applications}/${made?.id}`;
      const key = alone.key.keyId;
      for (const [method, route] of [
        ['POST', `${path}/accessKeys/${key}/status`],
        ['DELETE', `${path}/accessKeys/${key}`],
        ['DELETE', `${path}/roles/ADMIN`],
        ['DELETE', path],
      ] as const) {
        const refused = await last.request(method, route);
        expect(refused.status, route).toBe(409);
        expect(refused.body.message).toContain('last administrator');
      }
      await last.put('/api/groups/leaders', { description: 'lead', roles: ['ADMIN'] });
      const boss = await alone.userWithPassword('boss@x.org', [], ['leaders']);
      expect(await boss.status('DELETE', path)).toBe(200);
      expect(await boss.status('DELETE', '/api/users/boss@x.org')).toBe(409);
      expect(await boss.status('PUT', '/api/users/boss@x.org', { name: 'b', groups: [] })).toBe(
        409,
      );
      expect(await boss.status('PUT', '/api/groups/leaders', { description: 'l' })).toBe(409);
      expect(await boss.status('DELETE', '/api/groups/leaders/users/boss@x.org')).toBe(409);
      expect(await boss.status('DELETE', '/api/groups/leaders/users', ['boss@x.org'])).toBe(409);
      expect(await boss.status('DELETE', '/api/groups/leaders')).toBe(409);
      expect(
        await boss.status('PUT', '/api/users/second@x.org', { name: 's', roles: ['ADMIN'] }),
      ).toBe(200);
      // Nobody can sign in as the second one, who has no password.
      expect(await boss.status('DELETE', '/api/users/boss@x.org')).toBe(409);
      const declared = refusedElsewhere['test/server/held-rights.test.ts'];
      expect(declared?.filter((each) => !alone.forms.seen.has(each))).toEqual([]);
    } finally {
      await alone.stop();
    }
  });
});
