// Names of persons compare without case (contract-admin 3.1), and refusals name nothing that the
// caller did not name himself.
import { beforeAll, describe, expect, it } from 'vitest';
import type { Session } from '../../../testkit/secured-server.js';
import { sharedSecuredServer } from '../../support/shared-server.js';
import { until } from '../../../testkit/until.js';

const server = sharedSecuredServer(import.meta.url);
let admin: Session;
let kim: Session;
let executionId: string;

beforeAll(async () => {
  ({ admin } = server);
  kim = await server.user('human_names_of_persons_kim@x.co', ['USER']);
  const task = {
    name: 'approve',
    taskReferenceName: 'approve',
    type: 'HUMAN',
    inputParameters: {
      __humanTaskDefinition: {
        assignments: [
          { assignee: { userType: 'CONDUCTOR_USER', user: 'human_names_of_persons_Kim@X.co' } },
        ],
      },
    },
  };
  await admin.post('/api/metadata/workflow', {
    name: 'human_names_of_persons_hidden_name',
    tasks: [task],
  });
  executionId = (
    await admin.post('/api/workflow', { name: 'human_names_of_persons_hidden_name', input: {} })
  ).text;
});

interface Entry {
  readonly taskId: string;
}

async function find(by: Session, search: object): Promise<Entry[]> {
  return (await by.post('/api/human/tasks/search', { start: 0, size: 10, ...search })).body.results;
}

describe('a person with capitals in the name', () => {
  it('finds, claims and completes what is assigned to it', async () => {
    const [entry] = await until('the task in the inbox', async () => {
      const found = await find(kim, { searchType: 'INBOX' });
      return found.length > 0 ? found : undefined;
    });
    const users = [{ userType: 'CONDUCTOR_USER', user: 'human_names_of_persons_KIM@x.co' }];
    expect(await find(admin, { assignees: users })).toHaveLength(1);
    const task = `/api/human/tasks/${entry?.taskId}`;
    expect(await kim.status('POST', `${task}/claim`)).toBe(200);
    expect(await find(admin, { claimants: users })).toHaveLength(1);
    expect(await kim.status('POST', `${task}/update?complete=true`, { a: 1 })).toBe(200);
  });

  it('is one person in grants, as who has them and as whom they are on', async () => {
    const grant = {
      subject: { type: 'USER', id: 'human_names_of_persons_KIM@x.co' },
      target: { type: 'USER', id: 'human_names_of_persons_Kim@X.co' },
      access: ['READ'],
    };
    expect(await admin.status('POST', '/api/auth/authorization', grant)).toBe(200);
    const shown = await kim.get(
      '/api/auth/authorization/USER/human_names_of_persons_kiM@x.co?groupBy=subject',
    );
    expect(shown.body).toMatchObject({ 'USER:human_names_of_persons_kim@x.co': ['READ'] });
  });

  it('is not one whose name only looks the same to Unicode', async () => {
    const person = { name: 'Other', roles: ['USER'], password: 'the password of another' };
    const other = 'human_names_of_persons_\u212Aim@x.co';
    const path = `/api/users/${encodeURIComponent(other)}`;
    expect((await admin.request('PUT', path, person)).body.id).toBe(other);
    expect((await admin.get('/api/users/human_names_of_persons_kim@x.co')).body.name).not.toBe(
      'Other',
    );
    const signIn = { email: 'human_names_of_persons_kim@x.co', password: person.password };
    expect(await kim.status('POST', '/api/token', signIn)).toBe(401);
  });

  it('cannot be named as ids of grants begin, in any case', async () => {
    for (const id of ['WORKFLOW_DEF:x', 'workflow_def:x', 'Group:x', 'APP:x', 'x:']) {
      const status = await admin.status('PUT', `/api/users/${id}`, { name: 'X', roles: ['USER'] });
      expect([id, status]).toEqual([id, 400]);
    }
  });

  it('is found as the starter of executions, also by the first letters', async () => {
    const task = { name: 'noop', taskReferenceName: 'noop', type: 'NOOP' };
    const inline = {
      name: 'human_names_of_persons_started_by_kim',
      workflowDef: { name: 'human_names_of_persons_started_by_kim', tasks: [task] },
    };
    const id = (await kim.post('/api/workflow', inline)).text;
    const queries = [
      ...[
        'createdBy = "human_names_of_persons_KIM@x.co"',
        'createdBy IN (other, human_names_of_persons_Kim@X.co)',
        'createdBy = "human_names_of_persons_K*@X.CO"',
      ],
      ...[
        'createdBy STARTS_WITH "human_names_of_persons_KIM@"',
        'status = COMPLETED AND (createdBy = human_names_of_persons_KIM@x.co)',
      ],
    ].map((query) => `query=${encodeURIComponent(query)}`);
    for (const asked of [
      ...queries,
      'freeText=createdBy:human_names_of_persons_KIM@x.co',
      'freeText=createdBy:human_names_of_persons_Ki?@X*',
    ]) {
      const { body } = await admin.get(`/api/workflow/search?${asked}`);
      const found = (body.results as { workflowId: string }[]).map(({ workflowId }) => workflowId);
      expect([asked, found]).toEqual([asked, [id]]);
    }
    const none = await admin.get(
      `/api/workflow/search?query=createdBy="human_names_of_persons_\u212Aim@x.co"`,
    );
    expect(none.body.results).toEqual([]);
    const others = await admin.get(
      '/api/workflow/search?query=createdBy!="human_names_of_persons_KIM@X.CO"',
    );
    expect(others.text).not.toContain(id);
  });

  it('is found in the audit log', async () => {
    await until('an entry of the audit log', async () => {
      const { body } = await admin.get('/api/admin/audit?caller=human_names_of_persons_KIM@X.CO');
      return JSON.stringify(body).includes('human_names_of_persons_kim@x.co') || undefined;
    });
  });
});

describe('a refusal', () => {
  it('names the execution that was asked for, not its definition', async () => {
    const refused = [
      await kim.get(`/api/workflow/${executionId}`),
      await kim.get(`/api/workflow/${executionId}/status`),
      await kim.request('PUT', `/api/workflow/${executionId}/pause`),
      await kim.delete(`/api/workflow/${executionId}`),
      await kim.delete(`/api/workflow/${executionId}/remove`),
      await kim.post(`/api/workflow/${executionId}/retry`),
      await kim.post('/api/tasks', {
        workflowInstanceId: executionId,
        taskId: executionId,
        status: 'COMPLETED',
      }),
    ];
    for (const answer of refused) {
      expect(answer.text).not.toContain('human_names_of_persons_hidden_name');
      expect([403, 404, 400]).toContain(answer.status);
    }
    expect(refused[0]?.body.message).toContain(executionId);
  });
});
