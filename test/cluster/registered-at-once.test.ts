// Two nodes of a cluster that register one new name in the same moment: one of them wins, whatever
// the kind of resource, and the other caller is answered as if he had come later (docs/access.md,
// "Whose executions"). Otherwise both would own it, and the later would stand in what the earlier
// made.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SecuredPair, signedIn } from '../support/secured-pair.js';
import type { Method, Session } from '../../testkit/secured-server.js';
import { until } from '../../testkit/until.js';

let pair: SecuredPair;
/** Two persons without rights on what the other one makes, each at another node. */
const persons: Session[] = [];

beforeAll(async () => {
  pair = await SecuredPair.start();
  for (const [index, server] of pair.servers.entries()) {
    const email = `person${index}@x.org`;
    const password = `password of ${email}`;
    const person = { name: email, roles: ['USER'], password };
    expect(await pair.admin.status('PUT', `/api/users/${email}`, person)).toBe(200);
    persons.push(await signedIn(server, { email, password }));
  }
}, 60_000);

afterAll(() => pair?.stop());

interface Kind {
  readonly what: string;
  /** How a person registers the name; `mark` stands in what is stored. */
  readonly register: (name: string, mark: string, person: number) => [Method, string, unknown];
  /** Where who owns it reads it. */
  readonly read: (name: string) => string;
}

const noop = { name: 'noop', taskReferenceName: 'noop', type: 'NOOP' };
const workflow = (name: string, mark: string, person: number): object => ({
  ...{ name, version: person + 1, description: mark, tasks: [noop] },
});
const readWorkflow = (name: string): string => `/api/metadata/workflow/${name}`;
const start = { name: 'started', version: 1 };

const kinds: readonly Kind[] = [
  {
    what: 'a workflow, each with another version',
    register: (...all) => ['POST', '/api/metadata/workflow', workflow(...all)],
    read: readWorkflow,
  },
  {
    what: 'a workflow in a list',
    register: (...all) => ['PUT', '/api/metadata/workflow', [workflow(...all)]],
    read: readWorkflow,
  },
  {
    what: 'the next version of a workflow',
    register: (...all) => ['POST', '/api/metadata/workflow?newVersion=true', workflow(...all)],
    read: readWorkflow,
  },
  {
    what: 'a workflow that may replace one',
    register: (name, mark) => {
      return ['POST', '/api/metadata/workflow?overwrite=true', workflow(name, mark, 0)];
    },
    read: readWorkflow,
  },
  {
    what: 'a task',
    register: (name, description) => {
      return ['POST', '/api/metadata/taskdefs', [{ name, description }]];
    },
    read: (name) => `/api/metadata/taskdefs/${name}`,
  },
  {
    what: 'a schema, each with another version',
    register: (name, mark, person) => {
      const data = { description: mark };
      return ['POST', '/api/schema', [{ name, version: person + 1, type: 'JSON', data }]];
    },
    read: (name) => `/api/schema/${name}`,
  },
  {
    what: 'a prompt',
    register: (name, mark) => ['POST', `/api/prompts/${name}?description=${mark}`, 'text'],
    read: (name) => `/api/prompts/${name}`,
  },
  {
    what: 'a form',
    register: (name, mark) => {
      const form = { jsonSchema: { title: mark, type: 'object' }, templateUI: {} };
      return ['POST', '/api/human/template', { name, ...form }];
    },
    read: (name) => `/api/human/template/${name}/1`,
  },
  {
    what: 'a schedule',
    register: (name, description) => {
      const schedule = { name, description, cronExpression: '0 0 0 1 1 ?', paused: true };
      const startWorkflowRequest = { ...start, workflowDef: { ...start, tasks: [noop] } };
      return ['POST', '/api/scheduler/schedules', { ...schedule, startWorkflowRequest }];
    },
    read: (name) => `/api/scheduler/schedules/${name}`,
  },
  {
    what: 'a remote service',
    register: (name, mark) => {
      const service = { type: 'HTTP', serviceURI: `https://${mark}.example.org` };
      return ['POST', '/api/registry/service', { name, ...service }];
    },
    read: (name) => `/api/registry/service/${name}`,
  },
  {
    what: 'an integration',
    register: (name, description) => {
      const provider = { description, category: 'AI_MODEL', type: 'openai', enabled: true };
      const body = { ...provider, configuration: { api_key: 'key' } };
      return ['POST', `/api/integrations/provider/${name}`, body];
    },
    read: (name) => `/api/integrations/provider/${name}`,
  },
  {
    what: 'a secret',
    register: (name, mark) => ['PUT', `/api/secrets/${name}`, mark],
    read: (name) => `/api/secrets/${name}`,
  },
  {
    what: 'an event handler',
    register: (name, description) => {
      const handler = { name, description, event: 'conductor:none', active: false, actions: [] };
      return ['POST', '/api/event', [handler]];
    },
    read: (name) => `/api/event/handler/${name}`,
  },
];

/** Names of each kind, all at once at both nodes. */
const namesOfEach = 100;

describe('a new name that two nodes register in the same moment', () => {
  it.each(kinds)('is that of one: $what', async ({ what, register, read }) => {
    const [prefix] = [what.replace(/\W+/g, '_')];
    const names = Array.from({ length: namesOfEach }, (_, index) => `${prefix}_${index}`);
    const registered = names.map(async (name) => {
      const answers = await Promise.all(
        persons.map((person, index) => person.request(...register(name, `by${index}`, index))),
      );
      const statuses = answers.map(({ status }) => status);
      const odd = answers.filter(({ status }) => ![200, 201, 204, 403, 409].includes(status));
      expect(odd.map(({ status, text }) => [name, status, text])).toEqual([]);
      const winners = statuses.flatMap((status, index) => (status < 300 ? [index] : []));
      expect([name, statuses, winners.length]).toEqual([name, expect.anything(), 1]);
      return { name, winner: winners[0] ?? 0 };
    });
    for (const { name, winner } of await Promise.all(registered)) {
      for (const [index, person] of persons.entries()) {
        const seen = await until('what the person sees of it', async () => {
          const answer = await person.get(read(name));
          const isKnown = index === winner ? answer.status === 200 : answer.status !== 404;
          return isKnown ? answer : undefined;
        });
        if (index !== winner) expect([name, seen.status]).toEqual([name, 403]);
        else expect([name, seen.text]).toEqual([name, expect.stringContaining(`by${winner}`)]);
      }
    }
  });
});
