// The templates that the page offers: each runs on a server with workers that answer as it says.
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../../testkit/api-client.js';
import {
  readPageTemplates,
  registerTemplate,
  workersOf,
  type PageTemplate,
} from '../support/page-templates.js';
import { startServer, type RunningServer } from '../../testkit/server.js';
import { until } from '../../testkit/until.js';
import {
  finalStatuses,
  type JsonObject,
  type WireTask,
  type WireWorkflow,
} from '../../testkit/wire.js';
import { ScriptedWorkers, type WorkerScript } from '../support/workers.js';

const templates = readPageTemplates();

let server: RunningServer;
let api: ApiClient;
beforeAll(async () => {
  server = await startServer({ args: ['--outbound-allow-inside=true'] });
  api = new ApiClient(server.url);
});
afterAll(async () => {
  await api?.close();
  await server?.stop();
});

describe('a template of the page', () => {
  it('is one of ten, each with a title and a sentence', () => {
    expect(templates.size).toBe(10);
    for (const { title, about, workflows } of templates.values()) {
      expect(title).toMatch(/^[A-Z][\w ,-]+$/);
      expect(about).toMatch(/^[A-Z].{20,100}\.$/);
      for (const { description } of workflows) expect(description).toMatch(/\.$/);
    }
  });

  it.each([...templates])('%s runs to its end', async (id, template) => {
    const done = await run(template);
    expect(done.status).toBe('COMPLETED');
    expect(done.output).toMatchObject(outputs[id] ?? {});
    for (const value of Object.values(done.output)) expect(value).not.toBeNull();
    // The server has nothing against any part of it, not even a warning.
    for (const workflow of template.workflows) {
      const path = '/api/metadata/workflow/validate';
      expect((await api.ask('POST', path, workflow)).text).toBe('');
    }
  });

  it('saga undoes what was done, newest first, when shipping fails', async () => {
    const failing: WorkerScript = () => ({ status: 'FAILED', reason: 'no carrier' });
    const done = await run(templateOf('saga'), { ship_order: failing });
    expect(done.status).toBe('FAILED');
    expect(done.reasonForIncompletion).toContain('the charge and the reservation were undone');
    const undone = done.tasks.filter(({ taskType }) => /^(?:refund|release)/.test(taskType));
    expect(undone.map(({ taskDefName, inputData }) => [taskDefName, inputData])).toEqual([
      ['refund_card', { receipt: 'P-1' }],
      ['release_stock', { reservation: 'R-1' }],
    ]);
  });

  it('approval ends as failed when a person declines', async () => {
    const template = templateOf('approval');
    const done = await run({ ...template, people: { approve: { approved: false } } });
    expect([done.status, done.reasonForIncompletion]).toEqual([
      'FAILED',
      'A person declined the expense',
    ]);
  });

  it('polling asks again until the other side is done', async () => {
    const { tasks } = await run(templateOf('polling'));
    const states = refsOf(tasks, 'check_export').map(({ outputData }) => outputData['state']);
    expect(states).toEqual(['running', 'done']);
  });

  it('retry tries again after a failure', async () => {
    const { tasks } = await run(templateOf('retry'));
    const statuses = refsOf(tasks, 'ask_bank').map(({ status }) => status);
    expect(statuses).toEqual(['FAILED', 'FAILED', 'COMPLETED']);
  });

  it('report has its schedule', async () => {
    const { body } = await api.ask('GET', '/api/scheduler/schedules/daily_report');
    expect(body).toMatchObject({ cronExpression: '0 0 7 * * MON-FRI', paused: true });
  });

  it('events starts the other workflow by the event', async () => {
    await run(templateOf('events'));
    const path = '/api/workflow/search?query=workflowType=welcome_customer AND status=COMPLETED';
    await until('the welcome', async () => {
      const { body } = await api.ask('GET', encodeURI(path));
      return (body as { totalHits: number }).totalHits > 0;
    });
  });
});

const outputs: Readonly<Record<string, JsonObject>> = {
  'fan-out': { images: 3, bytes: 3600 },
  report: { text: '12 orders by 340 visitors' },
  'sub-workflow': { laptop: 'SN-1', badge: 'SN-1' },
  'http-chain': { order: 'O-1' },
};

function templateOf(id: string): PageTemplate {
  const template = templates.get(id);
  if (template === undefined) throw new Error(`no template ${id}`);
  return template;
}

const refsOf = (tasks: readonly WireTask[], type: string): readonly WireTask[] =>
  tasks.filter(({ taskDefName }) => taskDefName === type);

/** Registers a template, starts its first workflow, and resolves with how it ended. */
async function run(
  template: PageTemplate,
  scripts: Readonly<Record<string, WorkerScript>> = {},
): Promise<WireWorkflow> {
  await forget(template);
  await registerTemplate(api, template);
  const { calls = {}, people = {} } = template;
  const other = await answering(calls);
  const address = Object.keys(calls).length === 0 ? {} : { address: other.address };
  const workers = new ScriptedWorkers(api, { ...workersOf(template), ...scripts });
  try {
    const [{ name }] = template.workflows;
    const id = await api.start({ name, version: 1, input: { ...template.input, ...address } });
    for (const [ref, output] of Object.entries(people)) {
      await api.untilTask(id, ref, 'IN_PROGRESS');
      await api.ask('POST', `/api/tasks/${id}/${ref}/COMPLETED`, output);
    }
    return await api.untilWorkflow(id, ({ status }) => finalStatuses.has(status), {
      timeoutMs: 30_000,
    });
  } finally {
    await workers.stop();
    await other.close();
  }
}

/** A handler of events cannot be registered twice. */
async function forget({ eventHandlers = [] }: PageTemplate): Promise<void> {
  for (const { name } of eventHandlers) await api.request('DELETE', `/api/event/${String(name)}`);
}

interface OtherSide {
  readonly address: string;
  readonly close: () => Promise<void>;
}

/** The other side of HTTP calls, on loopback. */
async function answering(calls: Readonly<Record<string, unknown>>): Promise<OtherSide> {
  const other = http.createServer((request, response) => {
    const answer = calls[`${request.method ?? ''} ${request.url ?? ''}`];
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer ?? {}));
  });
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  return {
    address: `http://127.0.0.1:${(other.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        other.closeAllConnections();
        other.close(() => resolve());
      }),
  };
}
