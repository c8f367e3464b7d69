// What a victim owns beside definitions and an execution: something of every kind of resource that
// the server has, with canaries in it. `covers` names the kinds of records (store/record-kinds.ts)
// and the targets of grants that a plant stands for; a kind without a plant or a reason fails a
// test by its name (attack.test.ts).
import type { TargetType } from '../../src/access/access-rules.js';
import type { RecordKind } from '../../src/store/record-kinds.js';
import type { Answer, SecuredServer, Session } from '../../testkit/secured-server.js';
import { until } from '../../testkit/until.js';
import type { PlantedId } from './targets.js';

/** What a caller with READ on all definitions, and with nothing else, may see. */
export type Shown = 'with definitions' | 'to nobody';

export interface Field {
  readonly server: SecuredServer;
  readonly owner: Session;
  /** Of everything. */
  readonly name: string;
  /** Ids and names so far, by what they are called in paths and bodies. */
  readonly ids: Partial<Record<PlantedId, string>>;
  readonly canary: (what: string, shown?: Shown) => string;
}

export interface Watched {
  readonly what: string;
  readonly path: string;
  /** Members that change without anybody having a right on the thing. */
  readonly without?: readonly string[];
}

export interface Plant {
  readonly covers: readonly (RecordKind | TargetType | 'file' | 'payload' | 'task log')[];
  readonly plant: (field: Field) => Promise<readonly Watched[]>;
}

/** Kinds of records of which nothing is planted. */
export const notPlanted: Partial<Record<RecordKind | TargetType, string>> = {
  'administrator-turn': 'no route shows it; it is gone within seconds',
  'ended-session': 'the ids of tokens that count no more',
  'pending-owner': 'no route shows it; it is gone within seconds',
  'former-user': 'a number beside the id of a user, which no route shows',
  'integration-definition': 'forms that all share and administrators write',
  'key-use': 'a time beside an access key',
  'plugin-record': 'kept by plug-ins with areas, of which the server of the attacks has none',
  'provider-link': 'asked for by the id of the user',
  'queue-depth': 'numbers of queues, by the name of the task definition',
  'second-factor': 'asked for by the id of the user',
  'service-breaker': 'asked for by the name of the service',
  'token-limit': 'asked for by the name of the model',
  'token-usage': 'asked for by the name of the model',
  API_GATEWAY_SERVICE: 'not served',
  API_GATEWAY_SERVICE_ROUTE: 'not served',
  AUTH_CONFIG: 'not served',
  CLUSTER_CONFIG: 'no resource has this type',
  TASK_ID: 'a task of the execution',
  TASK_REF_NAME: 'a task of the execution',
  WORKFLOW: 'the execution',
  protection: 'one for the keyspace, of which callers see nothing',
};

async function must(
  who: Session,
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  sent?: unknown,
): Promise<Answer['body']> {
  const { status, text, body } = await who.request(method, path, sent);
  if (status < 300) return body;
  throw new Error(`${method} ${path} was answered ${status}: ${text}`);
}

const secrets: Plant = {
  covers: ['secret', 'environment', 'SECRET_NAME', 'ENV_VARIABLE', 'tags', 'TAG'],
  plant: async ({ server, owner, name, canary }) => {
    await must(owner, 'PUT', `/api/secrets/${name}`, canary('secret'));
    const tag = [{ key: name, value: name, type: 'METADATA' }];
    await must(owner, 'PUT', `/api/secrets/${name}/tags`, tag);
    await must(server.admin, 'PUT', `/api/environment/${name}`, canary('environment'));
    return [
      { what: 'the secret', path: `/api/secrets/${name}` },
      { what: 'the tags of the secret', path: `/api/secrets/${name}/tags` },
      { what: 'the environment variable', path: `/api/environment/${name}` },
    ];
  },
};

const people: Plant = {
  covers: [
    ...(['user', 'group', 'role', 'grant', 'session', 'invitation'] as const),
    ...(['USER', 'GROUP', 'ROLE'] as const),
  ],
  plant: async ({ server, owner, name, ids, canary }) => {
    const { admin } = server;
    const group = { description: canary('group'), roles: ['USER'] };
    await must(admin, 'PUT', `/api/groups/${name}`, group);
    await must(admin, 'POST', `/api/groups/${name}/users/${owner.subject}`);
    const role = { name, permissions: ['READ_TASK_DEF'] };
    await must(admin, 'POST', '/api/roles', role);
    await must(admin, 'POST', '/api/auth/authorization', {
      subject: { type: 'GROUP', id: name },
      target: { type: 'TAG', id: `${name}:${name}` },
      access: ['READ'],
    });
    const guest = { email: 'guest@attack.test', name: canary('invitation'), roles: [] };
    const invited = await must(admin, 'POST', '/api/admin/invitations', guest);
    const [session] = await must(owner, 'GET', '/api/account/sessions');
    Object.assign(ids, { invitationId: invited.id, sessionId: session.id });
    return [
      { what: 'the user', path: `/api/users/${owner.subject}` },
      { what: 'the group', path: `/api/groups/${name}` },
      { what: 'the members of the group', path: `/api/groups/${name}/users` },
      { what: 'the role', path: `/api/roles/${name}` },
      { what: 'the invitations', path: '/api/admin/invitations' },
      { what: 'the grants', path: `/api/auth/authorization/WORKFLOW_DEF/${name}` },
      { what: 'the grants on the task', path: `/api/auth/authorization/TASK_DEF/${name}` },
      { what: 'the grants on the secret', path: `/api/auth/authorization/SECRET_NAME/${name}` },
    ];
  },
};

const applications: Plant = {
  covers: ['application', 'access-key', 'APPLICATION'],
  plant: async ({ server, name, ids }) => {
    const application = await server.application(name, ['USER']);
    const applicationId = application.subject.slice('app:'.length);
    const { keyId } = application.key;
    Object.assign(ids, { applicationId, keyId });
    return [
      { what: 'the application', path: `/api/applications/${applicationId}` },
      { what: 'the access keys', path: `/api/applications/${applicationId}/accessKeys` },
    ];
  },
};

const schemasAndForms: Plant = {
  covers: ['schema', 'user-form', 'SCHEMA', 'USER_FORM_TEMPLATE'],
  plant: async ({ owner, name, canary }) => {
    const text = canary('schema');
    // Nothing fits it, so a check by it tells what it asks for.
    const data = { type: 'object', description: text, required: [text] };
    await must(owner, 'POST', '/api/schema', [{ name, version: 1, type: 'JSON', data }]);
    const field = canary('form');
    const jsonSchema = { type: 'object', title: field, required: [field] };
    await must(owner, 'POST', '/api/human/template', { name, jsonSchema, templateUI: {} });
    return [
      { what: 'the schema', path: `/api/schema/${name}/1` },
      { what: 'the form', path: `/api/human/template/${name}/1` },
    ];
  },
};

const schedules: Plant = {
  covers: ['schedule', 'WORKFLOW_SCHEDULE'],
  plant: async ({ owner, name, canary }) => {
    const input = { canary: canary('schedule input', 'with definitions') };
    const schedule = {
      ...{ name, cronExpression: '* * * * * ?', description: canary('schedule') },
      startWorkflowRequest: { name, version: 1, input },
    };
    await must(owner, 'POST', '/api/scheduler/schedules', schedule);
    await until('a run of the schedule', async () => {
      const runs = await must(owner, 'GET', '/api/scheduler/search/executions?size=1');
      return runs.results.length > 0;
    });
    await must(owner, 'PUT', `/api/scheduler/schedules/${name}/pause`);
    // It would be due later and later.
    const without = ['nextRunTime'];
    return [{ what: 'the schedule', path: `/api/scheduler/schedules/${name}`, without }];
  },
};

const events: Plant = {
  covers: ['event-handler', 'event-queue', 'EVENT_HANDLER'],
  plant: async ({ server, owner, name, canary }) => {
    const event = `conductor:${name}:done`;
    const handler = {
      ...{ name, event, active: true, description: canary('event handler') },
      actions: [{ action: 'start_workflow', start_workflow: { name, version: 1 } }],
    };
    await must(owner, 'POST', '/api/event', [handler]);
    const message = { event, payload: canary('message', 'with definitions') };
    await must(owner, 'POST', '/api/event/handleIncomingEvent', message);
    const path = `/api/event/queue/config/kafka/${name}`;
    const settings = { producer: { 'sasl.password': canary('queue configuration') } };
    await must(server.admin, 'PUT', path, settings);
    return [
      { what: 'the event handler', path: `/api/event/handler/${name}` },
      { what: 'the queue configuration', path },
    ];
  },
};

const webhooks: Plant = {
  covers: ['webhook', 'outgoing-webhook', 'WEBHOOK'],
  plant: async ({ server, owner, name, ids, canary }) => {
    const key = canary('webhook’s header');
    const webhook = {
      ...{ id: name, name, sourcePlatform: 'Custom', verifier: 'HEADER_BASED' },
      headers: { 'x-key': key },
      workflowsToStart: { [name]: 1 },
    };
    await must(owner, 'POST', '/api/metadata/webhook', webhook);
    const call = { canary: canary('call of the webhook', 'with definitions') };
    const called = await server.nobody.request('POST', `/webhook/${name}`, call, { 'x-key': key });
    if (called.status >= 300) throw new Error(`The webhook refused: ${called.text}`);
    const outgoing = await must(owner, 'POST', '/api/metadata/outgoing-webhook', {
      ...{ name, url: 'https://hook.example.org', events: ['WORKFLOW_TERMINATED'] },
      ...{ headers: { 'x-key': canary('outgoing webhook’s header') }, workflowNames: ['none'] },
    });
    Object.assign(ids, { webhookId: name, outgoingWebhookId: outgoing.id });
    return [
      {
        what: 'the webhook',
        path: `/api/metadata/webhook/${name}`,
        // Calls that were refused stand there too.
        without: ['webhookExecutionHistory'],
      },
      { what: 'the outgoing webhook', path: `/api/metadata/outgoing-webhook/${outgoing.id}` },
    ];
  },
};

const integrations: Plant = {
  covers: [
    ...(['integration-provider', 'integration-api', 'prompt', 'PROMPT'] as const),
    ...(['INTEGRATION', 'INTEGRATION_PROVIDER'] as const),
  ],
  plant: async ({ owner, name, canary }) => {
    const provider = `/api/integrations/provider/${name}`;
    await must(owner, 'POST', provider, {
      ...{ category: 'AI_MODEL', type: 'openai', enabled: true },
      description: canary('integration'),
      configuration: { api_key: canary('key of the integration') },
    });
    const model = { description: canary('model'), enabled: true, configuration: {} };
    await must(owner, 'POST', `${provider}/integration/${name}`, model);
    const models = encodeURIComponent(`${name}:${name}`);
    const prompt = `/api/prompts/${name}?description=victim&models=${models}`;
    await must(owner, 'POST', prompt, canary('prompt'));
    return [
      { what: 'the integration', path: provider },
      { what: 'the model', path: `${provider}/integration/${name}` },
      { what: 'the prompt', path: `/api/prompts/${name}` },
    ];
  },
};

const services: Plant = {
  covers: ['remote-service', 'service-proto', 'SERVICE_REGISTRY'],
  plant: async ({ owner, name, ids, canary }) => {
    const protoFile = `${name}.proto`;
    Object.assign(ids, { protoFile });
    await must(owner, 'POST', '/api/registry/service', {
      ...{ name, type: 'HTTP', serviceURI: `https://${canary('service')}.example.org` },
      authMetadata: { key: 'x-key', value: canary('header of the service') },
    });
    const proto = `syntax = "proto3";\n// ${canary('proto file')}\nmessage M {}\n`;
    await must(owner, 'POST', `/api/registry/service/protos/${name}/${protoFile}`, proto);
    return [
      { what: 'the service', path: `/api/registry/service/${name}` },
      { what: 'the proto file', path: `/api/registry/service/protos/${name}/${protoFile}` },
      { what: 'the breaker', path: `/api/registry/service/${name}/circuit-breaker/status` },
    ];
  },
};

const humanTasks: Plant = {
  covers: [],
  plant: async ({ server, owner, name, ids, canary }) => {
    const input = { canary: canary('human task', 'with definitions') };
    const human = { name, taskReferenceName: 'human', type: 'HUMAN', inputParameters: input };
    const assignee = { user: owner.subject, userType: 'CONDUCTOR_USER' };
    const definition = { assignmentCompletionStrategy: 'LEAVE_OPEN', assignments: [{ assignee }] };
    const inputParameters = { ...input, __humanTaskDefinition: definition };
    const flow = `${name}_human`;
    const tasks = [{ ...human, inputParameters }];
    await must(owner, 'POST', '/api/metadata/workflow', { name: flow, version: 1, tasks });
    const workflowId = await must(owner, 'POST', '/api/workflow', { name: flow, version: 1 });
    const seen = await must(owner, 'GET', `/api/workflow/${workflowId}`);
    const humanTaskId = String(seen.tasks[0].taskId);
    await until('the human task is listed', async () => {
      return (await server.admin.get(`/api/human/tasks/${humanTaskId}`)).status === 200;
    });
    Object.assign(ids, { humanTaskId, humanWorkflowId: workflowId, humanTaskRef: 'human' });
    return [{ what: 'the human task', path: `/api/human/tasks/${humanTaskId}` }];
  },
};

const contents: Plant = {
  covers: ['file', 'payload', 'task log', 'bulk-job', 'execution-limit'],
  plant: async ({ server, owner, name, ids, canary }) => {
    const { workflowId = '', taskId = '' } = ids;
    const line = canary('task log', 'with definitions');
    await must(owner, 'POST', `/api/tasks/${taskId}/log`, line);
    const asked = { workflowId, fileName: name, contentType: 'text/plain' };
    const file = await must(owner, 'POST', '/api/files', asked);
    const fileId = String(file.fileHandleId).replace('conductor://file/', '');
    const body = canary('file', 'with definitions');
    const put = await fetch(new URL(String(file.uploadUrl), server.url), { method: 'PUT', body });
    if (put.status >= 300) throw new Error(`The file was refused: ${put.status}`);
    await must(owner, 'POST', `/api/files/${workflowId}/${fileId}/upload-complete`);
    const job = await must(owner, 'POST', '/api/bulk-jobs', { action: 'pause', ids: [workflowId] });
    const limit = { rateLimitKey: 'k', concurrentExecLimit: 1000 };
    await must(owner, 'PUT', `/api/metadata/workflow/${name}/rate-limit`, limit);
    const role = 'operation=WRITE&payloadType=WORKFLOW_INPUT&path=';
    const place = `/api/workflow/externalstoragelocation?${role}`;
    const payload = await must(owner, 'GET', place);
    const content = JSON.stringify({ canary: canary('payload') });
    const stored = await fetch(new URL(String(payload.uri), server.url), {
      ...{ method: 'PUT', body: content },
    });
    if (stored.status >= 300) throw new Error(`The payload was refused: ${stored.status}`);
    Object.assign(ids, { fileId, uploadId: name, jobId: job.jobId, payloadPath: payload.path });
    return [
      { what: 'the file', path: `/api/files/${workflowId}/${fileId}` },
      { what: 'the bulk job', path: `/api/bulk-jobs/${job.jobId}` },
      { what: 'the limit', path: `/api/metadata/workflow/${name}/rate-limit` },
      { what: 'the log', path: `/api/tasks/${taskId}/log` },
    ];
  },
};

/** In this order: some need what others planted. */
export const plants: readonly Plant[] = [
  ...[secrets, people, applications, schemasAndForms, integrations, services],
  ...[webhooks, events, schedules, humanTasks, contents],
];
