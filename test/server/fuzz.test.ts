// Hostile requests at every operation that a started server describes, with authentication off and
// on: no 5xx, no hang, a refusal says what is wrong, and a refused write changes nothing. All seeds
// are fixed; what is sent follows from the description alone.
import fc from 'fast-check';
import { Agent, request as send } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  hostileJson,
  pathsIn,
  replaced,
  requestsOf,
  Samples,
  targetsOf,
  type Description,
  type HostileRequest,
  type Target,
} from '../support/hostile-requests.js';
import { SecuredServer } from '../../testkit/secured-server.js';
import { startServer, type RunningServer } from '../../testkit/server.js';

const seed = 20_261;
const requestsPerOperation = 16;
const writesPerResource = 120;
const requestsAtOnce = 16;
/** An answer that takes longer counts as a hang. */
const answerMs = 5_000;

interface Sent {
  readonly status: number;
  readonly text: string;
}

/** A server under attack: sends requests and keeps what is wrong with the answers. */
class Victim {
  readonly #agent = new Agent({
    connections: requestsAtOnce,
    headersTimeout: answerMs,
    bodyTimeout: answerMs,
  });
  description!: Description;

  constructor(
    readonly url: string,
    readonly headers: Readonly<Record<string, string>>,
    readonly stop: () => Promise<void>,
  ) {} // prettier-ignore

  async send({ method, path, headers, body }: HostileRequest): Promise<Sent> {
    const response = await send(this.url + path, {
      method: method as 'GET',
      dispatcher: this.#agent,
      headers: { ...headers, ...this.headers },
      body: body ?? null,
    });
    return { status: response.statusCode, text: await response.body.text() };
  }

  json(method: string, path: string, body?: unknown): Promise<Sent> {
    const headers = { 'content-type': 'application/json' };
    // Undefined stays undefined.
    const text = JSON.stringify(body) as string | undefined;
    return this.send({ method, path, headers, body: text });
  }

  /** Status, and what breaks a promise about every answer. */
  async attack(
    request: HostileRequest,
    declared: readonly string[],
  ): Promise<{ status: number; trouble?: string }> {
    const { method, path, body } = request;
    const sent = `${JSON.stringify(request.headers).slice(0, 200)} ${String(body).slice(0, 700)}`;
    const what = `${method} ${path.slice(0, 200)} ${sent}`;
    try {
      const answer = await this.send(request);
      const { status, text } = answer;
      const trouble = formTrouble(answer, declared);
      if (trouble === undefined) return { status };
      return { status, trouble: `${trouble}: ${what} answered ${status} ${text.slice(0, 300)}` };
    } catch (error) {
      return { status: 0, trouble: `${String(error)}: ${what}` };
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
    await this.stop();
  }
}

/** Messages for an execution are refused in plain text (contract-core 14.1). */
const refusesInJson = ({ path }: Target): boolean => !path.endsWith('/messages');

/** The check of the store waits on purpose before it calls a difference a violation. */
const answersAtOnce = ({ path }: Target): boolean => path !== '/api/admin/fsck';

function formTrouble({ status, text }: Sent, declared: readonly string[]): string | undefined {
  if (status >= 500 && !(status === 503 && declared.includes('503'))) return 'a 5xx';
  if (status < 400) return undefined;
  const error = parsed(text) as { status?: unknown; message?: unknown } | undefined;
  if (error?.status !== status) return 'no status in the body';
  return typeof error.message === 'string' && error.message !== '' ? undefined : 'no message';
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const tasks = [{ name: 'work', taskReferenceName: 'a', type: 'SIMPLE' }];
const workflow = { name: 'one', version: 1, tasks, ownerEmail: 'a@b.c' };

interface Resource {
  /** Path that shows it. */
  readonly read: string;
  /** Method and path that replace it. */
  readonly write: string;
  /** Method and path that make it; absent: as `write`. */
  readonly make?: string;
  readonly value: object;
  /** Written as the only element of a list. */
  readonly list?: true;
}

/** What exists before the attack. */
const resources: readonly Resource[] = [
  {
    read: '/api/metadata/workflow/one?version=1',
    write: 'PUT /api/metadata/workflow',
    list: true,
    value: workflow,
  },
  {
    read: '/api/metadata/taskdefs/work',
    write: 'POST /api/metadata/taskdefs',
    list: true,
    value: { name: 'work', retryCount: 2, timeoutSeconds: 60, inputTemplate: { a: 1 } },
  },
  {
    read: '/api/scheduler/schedules/clock',
    write: 'POST /api/scheduler/schedules',
    value: {
      name: 'clock',
      cronExpression: '0 0 0 1 1 ?',
      zoneId: 'UTC',
      paused: true,
      scheduleStartTime: 1,
      scheduleEndTime: 4_102_444_800_000,
      startWorkflowRequest: { name: 'one', version: 1, input: { a: 1 } },
    },
  },
  {
    read: '/api/human/template/form/1',
    write: 'POST /api/human/template',
    value: { name: 'form', version: 1, jsonSchema: { type: 'object' }, templateUI: {} },
  },
  {
    read: '/api/users/u1',
    write: 'PUT /api/users/u1',
    value: { name: 'U', roles: ['USER'], groups: [] },
  },
  {
    read: '/api/groups/g1',
    write: 'PUT /api/groups/g1',
    value: { description: 'G', roles: ['USER'], defaultAccess: { WORKFLOW_DEF: ['READ'] } },
  },
  {
    read: '/api/roles/r1',
    write: 'PUT /api/roles/r1',
    make: 'POST /api/roles',
    value: { name: 'r1', permissions: ['READ_WORKFLOW_DEF'] },
  },
  {
    read: '/api/metadata/workflow/one/rate-limit',
    write: 'PUT /api/metadata/workflow/one/rate-limit',
    value: { rateLimitKey: 'k', concurrentExecLimit: 3 },
  },
  {
    read: '/api/metadata/task/work/tags',
    write: 'PUT /api/metadata/task/work/tags',
    value: [{ key: 'k', value: 'v' }],
  },
  {
    read: '/api/environment/E',
    write: 'PUT /api/environment/E',
    value: { a: 1 },
  },
];

const samplesOf = (description: Description): Samples =>
  new Samples(description.components.schemas, {
    name: 'one', taskType: 'work', taskName: 'work', workflowName: 'one', tasks, roles: ['USER'], permissions: [],
    userId: 'u1', groupId: 'g1', idOrGroupId: 'g1', ownerEmail: 'a@b.c', cronExpression: '0 0 0 1 1 ?', zoneId: 'UTC',
    status: 'COMPLETED', waitForSeconds: 1,
  }); // prettier-ignore

async function attackable(
  url: string,
  headers: Readonly<Record<string, string>>,
  server: { stop(): Promise<void> },
): Promise<Victim> {
  const victim = new Victim(url, headers, () => server.stop());
  const described = await victim.json('GET', '/api-docs.json');
  victim.description = JSON.parse(described.text) as Description;
  for (const { write, make = write, value, list } of resources) {
    const [method, path] = make.split(' ') as [string, string];
    const made = await victim.json(method, path, list === true ? [value] : value);
    expect([make, made.status, made.text.slice(0, 200)]).toEqual([make, 200, expect.anything()]);
  }
  return victim;
}

const modes: { what: string; start: () => Promise<Victim> }[] = [
  {
    what: 'with authentication off',
    start: async () => {
      const server: RunningServer = await startServer();
      return attackable(server.url, {}, server);
    },
  },
  {
    what: 'with authentication on',
    start: async () => {
      const secured = await SecuredServer.start();
      return attackable(secured.url, secured.admin.headers, secured);
    },
  },
];

describe.each(modes)('hostile requests $what', ({ start }) => {
  let victim: Victim;
  beforeAll(async () => {
    victim = await start();
  });
  afterAll(() => victim.close());

  it('are refused in words when they write, and what is stored stays', async () => {
    const attacks = resources.map((resource) => attackResource(victim, resource));
    expect((await Promise.all(attacks)).flat()).toEqual([]);
  });

  it('never bring forth a 5xx, a hang or a refusal without words', async () => {
    const samples = samplesOf(victim.description);
    const requests = targetsOf(victim.description)
      .filter((target) => refusesInJson(target) && answersAtOnce(target))
      .flatMap((target) =>
        fc
          .sample(requestsOf(target, samples), { seed, numRuns: requestsPerOperation })
          .map((request) => ({ request, declared: Object.keys(target.operation.responses) })),
      );
    const troubles = new Set<string>();
    const rest = requests.values();
    const sender = async (): Promise<void> => {
      for (const { request, declared } of rest) {
        const { trouble } = await victim.attack(request, declared);
        if (trouble !== undefined) troubles.add(trouble);
      }
    };
    await Promise.all(Array.from({ length: requestsAtOnce }, sender));
    expect([...troubles]).toEqual([]);
    expect((await victim.json('GET', '/health')).status).toBe(200);
  });
});

/** Writes the resource with one hostile member after the other; lists what went wrong. */
async function attackResource(victim: Victim, resource: Resource): Promise<string[]> {
  const { read, write, value, list } = resource;
  const [method, path] = write.split(' ') as [string, string];
  const headers = { 'content-type': 'application/json' };
  const troubles: string[] = [];
  let before = await victim.json('GET', read);
  if (before.status !== 200) return [`${read} answered ${before.status} ${before.text}`];
  const places = fc.record({
    member: fc.constantFrom(...pathsIn(value)),
    json: fc.constantFrom(...hostileJson),
  });
  for (const { member, json } of fc.sample(places, { seed, numRuns: writesPerResource })) {
    const one = replaced(value, member, json);
    const request = { method, path, headers, body: list === true ? `[${one}]` : one };
    const { status, trouble } = await victim.attack(request, ['503']);
    const after = await victim.json('GET', read);
    if (trouble !== undefined) troubles.push(trouble);
    else if (status >= 400 && after.text !== before.text) {
      troubles.push(`refused, yet ${before.text} became ${after.text}: ${one.slice(0, 700)}`);
    }
    before = after;
  }
  return troubles;
}
