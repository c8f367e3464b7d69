// The kinds of things that `apply`, `diff` and `export` know: one declaration each, which says how
// they are listed, stored and removed, what names one, and what the server adds by itself.
import { Refused, type ApiClient } from '../shared/api-client.js';
import { exitCodes, Failure } from '../shared/failure.js';
import { objectOf, objectsOf, textOf, type JsonObject } from '../shared/json.js';

export interface Kind {
  /** The value of `kind:` in a file. */
  readonly name: string;
  /** The folder that `export` writes and `apply` reads. */
  readonly folder: string;
  readonly idOf: (body: JsonObject) => string;
  /** The same thing in one way of writing it; absent: there is only one. */
  readonly normal?: (body: JsonObject) => JsonObject;
  /** Fields without which there is nothing to store. */
  readonly required: readonly string[];
  /**
   * The stored things; where a server cannot list all, those of `wanted` only. undefined: not
   * served.
   */
  readonly list: (
    client: ApiClient,
    wanted: readonly JsonObject[],
  ) => Promise<JsonObject[] | undefined>;
  readonly put: (
    client: ApiClient,
    body: JsonObject,
    found: JsonObject | undefined,
  ) => Promise<unknown>;
  readonly remove: (client: ApiClient, found: JsonObject) => Promise<unknown>;
  /** Where its tags are; absent: it has none, so it is never pruned. */
  readonly tagsPath?: (body: JsonObject) => string;
  /** Values that a server fills in, by field, at any depth. */
  readonly defaults: Readonly<Record<string, readonly unknown[]>>;
  /** Fields that are not compared: secret, or the server's own. */
  readonly uncompared: readonly string[];
}

const esc = encodeURIComponent;
export const own = [
  'createTime',
  'updateTime',
  'createdBy',
  'updatedBy',
  'ownerApp',
  'tags',
  'overwriteTags',
];
const versioned = (body: JsonObject): string =>
  `${textOf(body['name'])}:${textOf(body['version']) || '1'}`;
const named = (body: JsonObject): string => textOf(body['name']);

/** undefined where the server has no such route. */
export async function listed(client: ApiClient, path: string): Promise<JsonObject[] | undefined> {
  const found = await client.find(path);
  return found === undefined ? undefined : objectsOf(found);
}

const schema: Kind = {
  name: 'schema',
  folder: 'schemas',
  idOf: versioned,
  required: ['name', 'data'],
  list: (client) => listed(client, '/api/schema'),
  put: (client, body) => client.post('/api/schema', [body]),
  remove: (client, found) =>
    client.delete(`/api/schema/${esc(named(found))}/${textOf(found['version'])}`),
  defaults: { type: ['JSON'], version: [1] },
  uncompared: own,
};

export const task: Kind = {
  name: 'task',
  folder: 'tasks',
  idOf: named,
  required: ['name'],
  list: (client) => listed(client, '/api/metadata/taskdefs'),
  put: (client, body, found) =>
    found === undefined
      ? client.post('/api/metadata/taskdefs', [body])
      : client.put('/api/metadata/taskdefs', body),
  remove: (client, found) => client.delete(`/api/metadata/taskdefs/${esc(named(found))}`),
  tagsPath: (body) => `/api/metadata/task/${esc(named(body))}/tags`,
  defaults: {
    retryCount: [3],
    retryLogic: ['FIXED'],
    retryDelaySeconds: [60],
    timeoutPolicy: ['TIME_OUT_WF'],
    responseTimeoutSeconds: [3600],
    rateLimitFrequencyInSeconds: [1],
    backoffScaleFactor: [1],
    taskStatusListenerEnabled: [true],
  },
  uncompared: own,
};

export const workflow: Kind = {
  name: 'workflow',
  folder: 'workflows',
  idOf: versioned,
  required: ['name', 'tasks'],
  list: (client) => listed(client, '/api/metadata/workflow'),
  put: (client, body) => client.put('/api/metadata/workflow', [body]),
  remove: (client, found) =>
    client.delete(`/api/metadata/workflow/${esc(named(found))}/${textOf(found['version'])}`),
  tagsPath: (body) => `/api/metadata/workflow/${esc(named(body))}/tags`,
  defaults: {
    ...task.defaults,
    version: [1],
    schemaVersion: [2],
    restartable: [true],
    enforceSchema: [true],
    timeoutPolicy: ['ALERT_ONLY', 'TIME_OUT_WF'],
    type: ['SIMPLE'],
  },
  uncompared: own,
};

const prompt: Kind = {
  name: 'prompt',
  folder: 'prompts',
  idOf: named,
  required: ['name', 'template'],
  list: (client) => listed(client, '/api/prompts'),
  put: (client, body) => {
    const models = Array.isArray(body['integrations']) ? body['integrations'].join(',') : '';
    const query = {
      description: textOf(body['description']),
      ...(models === '' ? {} : { models }),
    };
    const path = `/api/prompts/${esc(named(body))}`;
    return client.call('POST', path, { query, rawBody: JSON.stringify(body['template']) });
  },
  remove: (client, found) => client.delete(`/api/prompts/${esc(named(found))}`),
  tagsPath: (body) => `/api/prompts/${esc(named(body))}/tags`,
  defaults: {},
  uncompared: [
    ...own,
    'version',
    'variables',
    'temperature',
    'topP',
    'responseFormat',
    'stopWords',
  ],
};

const form: Kind = {
  name: 'form',
  folder: 'forms',
  idOf: versioned,
  required: ['name', 'jsonSchema'],
  list: (client) => listed(client, '/api/human/template'),
  put: (client, body) => client.post('/api/human/template', body),
  remove: (client, found) =>
    client.delete(`/api/human/template/${esc(named(found))}/${textOf(found['version'])}`),
  tagsPath: (body) => `/api/human/template/${esc(named(body))}/tags`,
  defaults: { version: [1] },
  uncompared: [...own, 'createdOn', 'updatedOn'],
};

export const handler: Kind = {
  name: 'handler',
  folder: 'handlers',
  idOf: named,
  required: ['name', 'event', 'actions'],
  list: (client) => listed(client, '/api/event'),
  put: (client, body, found) =>
    found === undefined ? client.post('/api/event', body) : client.put('/api/event', body),
  remove: (client, found) => client.delete(`/api/event/${esc(named(found))}`),
  tagsPath: (body) => `/api/event/${esc(named(body))}/tags`,
  defaults: { evaluatorType: ['javascript'], expandInlineJSON: [false], version: [1] },
  uncompared: [...own, 'actsAs'],
};

export const webhook: Kind = {
  name: 'webhook',
  folder: 'webhooks',
  idOf: named,
  required: ['name', 'sourcePlatform', 'verifier'],
  list: (client) => listed(client, '/api/metadata/webhook'),
  put: (client, body, found) =>
    found === undefined
      ? client.post('/api/metadata/webhook', body)
      : client.put(`/api/metadata/webhook/${esc(textOf(found['id']))}`, body),
  remove: (client, found) => client.delete(`/api/metadata/webhook/${esc(textOf(found['id']))}`),
  defaults: { evaluatorType: ['javascript'] },
  // A stored secret is never shown, so it cannot be compared.
  uncompared: [
    ...own,
    'id',
    'secretValue',
    'headers',
    'urlVerified',
    'webhookExecutionHistory',
    'actsAs',
  ],
};

export const schedule: Kind = {
  name: 'schedule',
  folder: 'schedules',
  idOf: named,
  required: ['name', 'startWorkflowRequest'],
  list: (client) => listed(client, '/api/scheduler/schedules'),
  put: (client, body) => client.post('/api/scheduler/schedules', body),
  remove: (client, found) => client.delete(`/api/scheduler/schedules/${esc(named(found))}`),
  tagsPath: (body) => `/api/scheduler/schedules/${esc(named(body))}/tags`,
  defaults: { zoneId: ['UTC'] },
  uncompared: [...own, 'updatedTime', 'nextRunTime', 'actsAs', 'pausedReason'],
};

/** One subject and one target; no server lists all, so only those of the files are read. */
export const grant: Kind = {
  name: 'grant',
  folder: 'grants',
  idOf: (body) => {
    const [subject, target] = [objectOf(body['subject']), objectOf(body['target'])];
    return `${textOf(subject['type'])} ${textOf(subject['id'])} on ${textOf(target['type'])} ${textOf(target['id'])}`;
  },
  normal: (body) => ({ ...body, access: rightsOf(body).sort() }),
  required: ['subject', 'target', 'access'],
  list: async (client, wanted) => {
    const found = new Map<string, JsonObject>();
    const targets = new Map(
      wanted.map((body) => [JSON.stringify(body['target']), objectOf(body['target'])]),
    );
    for (const target of targets.values()) {
      const path = `/api/auth/authorization/${esc(textOf(target['type']))}/${esc(textOf(target['id']))}`;
      const byRight = objectOf(await client.find(path));
      for (const [right, subjects] of Object.entries(byRight)) {
        for (const subject of objectsOf(subjects)) addRight(found, subject, target, right);
      }
    }
    return [...found.values()];
  },
  put: async (client, body, found) => {
    const wanted = rightsOf(body);
    const extra = rightsOf(found ?? {}).filter((right) => !wanted.includes(right));
    await client.post('/api/auth/authorization', body);
    if (extra.length > 0)
      await client.delete('/api/auth/authorization', { body: { ...body, access: extra } });
  },
  remove: (client, found) => client.delete('/api/auth/authorization', { body: found }),
  defaults: {},
  uncompared: own,
};

function addRight(
  found: Map<string, JsonObject>,
  subject: JsonObject,
  target: JsonObject,
  right: string,
): void {
  const { type, id } = subject;
  const key = grant.idOf({ subject, target });
  const rights = rightsOf(found.get(key) ?? {});
  found.set(key, { subject: { type, id }, target, access: [...rights, right].sort() });
}

export function rightsOf(body: JsonObject): string[] {
  return Array.isArray(body['access']) ? body['access'].map(String) : [];
}

/** In the order in which files of them are stored: what others name comes first. */
export const kinds: readonly Kind[] = [
  schema,
  task,
  workflow,
  prompt,
  form,
  handler,
  webhook,
  schedule,
  grant,
];

/**
 * A sentence that names the kinds a server has none of, `absent` of those `asked` for; undefined:
 * it has all. A server that has not one of them fails the command: its address may be wrong.
 */
export function tellAbsent(
  { address: { root, options } }: ApiClient,
  { asked, absent }: { readonly asked: readonly Kind[]; readonly absent: readonly Kind[] },
): string | undefined {
  if (absent.length === 0) return undefined;
  const names = absent.map(({ folder }) => folder).join(', ');
  const sentence = `${root} has no ${names}.`;
  if (absent.length < asked.length) return sentence;
  throw new Failure(
    `${root} has no route for ${names}: check ${options?.address ?? '--server or CONDUCTOR_SERVER_URL'}. Nothing was changed.`,
    exitCodes.notFound,
  );
}

/** Tags of one thing, as `key:value`; undefined where the server has none. */
export async function readTags(
  client: ApiClient,
  kind: Kind,
  body: JsonObject,
): Promise<string[] | undefined> {
  if (kind.tagsPath === undefined) return undefined;
  const tags = await client.find(kind.tagsPath(body));
  return tags === undefined ? undefined : objectsOf(tags).map(tagText);
}

export function tagText(tag: JsonObject): string {
  return `${textOf(tag['key'])}:${textOf(tag['value'])}`;
}

/** Adds one tag; workflows and tasks are asked by POST of one, the others by PUT of a list. */
export async function addTag(
  client: ApiClient,
  kind: Kind,
  body: JsonObject,
  label: string,
): Promise<void> {
  if (kind.tagsPath === undefined) return;
  const at = label.indexOf(':');
  const tag = { type: 'METADATA', key: label.slice(0, at), value: label.slice(at + 1) };
  const isMetadata = kind === workflow || kind === task;
  try {
    if (isMetadata) await client.post(kind.tagsPath(body), tag);
    else await client.put(kind.tagsPath(body), [tag]);
  } catch (error) {
    // A server without tags: nothing can be pruned there, and apply says so.
    if (!(error instanceof Refused) || ![404, 405].includes(error.status)) throw error;
  }
}
