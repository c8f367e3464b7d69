// A guessed idempotency key tells nobody the id of an execution on which he has no rights
// (docs/access.md, "What runs in an execution's name"), by no way to start and under no name.
import { beforeAll, describe, expect, it } from 'vitest';
import type { Session } from '../../testkit/secured-server.js';
import { sharedSecuredServer } from '../support/shared-server.js';
import { until } from '../../testkit/until.js';

const server = sharedSecuredServer(import.meta.url);
let first: Session;
let second: Session;

beforeAll(async () => {
  first = await server.user('foreign_keys_first@x.org', ['USER']);
  second = await server.user('foreign_keys_second@x.org', ['USER']);
});

const wait = { name: 'wait', taskReferenceName: 'wait', type: 'WAIT' };
const strategies = ['RETURN_EXISTING', 'FAIL', 'FAIL_ON_RUNNING'] as const;

async function save(who: Session, name: string, tasks: object[] = [wait]): Promise<void> {
  const { status, text } = await who.post('/api/metadata/workflow', { name, tasks });
  expect([status, text]).toEqual([200, '']);
}

async function started(who: Session, request: object): Promise<string> {
  const { status, text } = await who.post('/api/workflow', request);
  expect([status, text]).toEqual([200, expect.any(String)]);
  return text;
}

describe('a key under a name that was registered anew by somebody else', () => {
  /** Executions of the first owner, by key; 'open' was restarted since. */
  const old = new Map<string, string>();

  beforeAll(async () => {
    await save(first, 'foreign_keys_anew');
    for (const idempotencyKey of ['open', ...strategies]) {
      old.set(idempotencyKey, await started(first, { name: 'foreign_keys_anew', idempotencyKey }));
    }
    for (const id of old.values()) await first.delete(`/api/workflow/${id}`);
    await first.delete('/api/metadata/workflow/foreign_keys_anew/1');
    await save(second, 'foreign_keys_anew');
    const id = old.get('open') ?? '';
    expect(await first.status('POST', `/api/workflow/${id}/restart`)).toBe(204);
  });

  function expectNothingOld(text: string): void {
    for (const id of old.values()) expect(text).not.toContain(id);
  }

  it.each(strategies)('is free once the old execution has ended: %s', async (strategy) => {
    const request = {
      name: 'foreign_keys_anew',
      idempotencyKey: strategy,
      idempotencyStrategy: strategy,
    };
    const id = await started(second, request);
    expectNothingOld(id);
    const again = await second.post('/api/workflow', request);
    expect(again.text).toContain(id);
    expect(again.status).toBe(strategy === 'RETURN_EXISTING' ? 200 : 409);
  });

  it.each(strategies)('is refused without the id while that runs: %s', async (strategy) => {
    const key = { idempotencyKey: 'open', idempotencyStrategy: strategy };
    const refused = await second.post('/api/workflow', { name: 'foreign_keys_anew', ...key });
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining("'open'")]);
    expectNothingOld(refused.text);
    const headers = { 'X-Idempotency-key': 'open', 'X-on-conflict': strategy };
    const byHeader = await second.request('POST', '/api/workflow/foreign_keys_anew', {}, headers);
    expect(byHeader.status).toBe(409);
    expectNothingOld(byHeader.text);
  });

  it('tells nothing in a task that starts workflows', async () => {
    for (const idempotencyStrategy of strategies) {
      const startWorkflow = {
        name: 'foreign_keys_anew',
        idempotencyKey: 'open',
        idempotencyStrategy,
      };
      const task = { name: 's', taskReferenceName: 's', type: 'START_WORKFLOW' };
      const tasks = [{ ...task, inputParameters: { startWorkflow } }];
      const id = await started(second, {
        name: 'starter',
        workflowDef: { name: 'starter', tasks },
      });
      const seen = await until('its end', async () => {
        const { body, text } = await second.get(`/api/workflow/${id}`);
        return body.status === 'RUNNING' ? undefined : text;
      });
      expect(seen).toContain("'open'");
      expectNothingOld(seen);
    }
  });

  it('tells nothing in the history of a webhook', async () => {
    const hook = {
      ...{
        id: 'foreign_keys_hook',
        name: 'foreign_keys_hook',
        sourcePlatform: 'Custom',
        verifier: 'HEADER_BASED',
      },
      headers: { 'x-key': 'k' },
      workflowsToStart: {
        foreign_keys_anew: 1,
        idempotencyKey: 'open',
        idempotencyStrategy: 'RETURN_EXISTING',
      },
    };
    expect(await second.status('POST', '/api/metadata/webhook', hook)).toBe(200);
    await server.nobody.request('POST', '/webhook/foreign_keys_hook', {}, { 'x-key': 'k' });
    const seen = await until('the history of the call', async () => {
      const { body, text } = await second.get('/api/metadata/webhook/foreign_keys_hook');
      return body.webhookExecutionHistory.length > 0 ? text : undefined;
    });
    expectNothingOld(seen);
  });

  it('tells nothing in the record of an event handler', async () => {
    const key = { idempotencyKey: 'open', idempotencyStrategy: 'RETURN_EXISTING' };
    const handler = {
      ...{ name: 'foreign_keys_keyed', event: 'conductor:foreign_keys_keyed', active: true },
      actions: [
        { action: 'start_workflow', start_workflow: { name: 'foreign_keys_anew', ...key } },
      ],
    };
    expect(await second.status('POST', '/api/event', [handler])).toBe(200);
    const event = { event: 'conductor:foreign_keys_keyed' };
    expect(await second.status('POST', '/api/event/handleIncomingEvent', event)).toBe(200);
    const seen = await until('the record', async () => {
      const { text } = await second.get('/api/event/execution/foreign_keys_keyed');
      return text.includes("'open'") ? text : undefined;
    });
    expectNothingOld(seen);
  });

  it('tells nothing in the record of a schedule', async () => {
    const key = { idempotencyKey: 'open', idempotencyStrategy: 'RETURN_EXISTING' };
    const schedule = {
      ...{ name: 'foreign_keys_keyed', cronExpression: '* * * * * ?' },
      startWorkflowRequest: { name: 'foreign_keys_anew', version: 1, ...key },
    };
    expect(await second.status('POST', '/api/scheduler/schedules', schedule)).toBe(200);
    const seen = await until('a run', async () => {
      const { body, text } = await second.get('/api/scheduler/search/executions?size=10');
      return body.results.length > 0 ? text : undefined;
    });
    expectNothingOld(seen);
    await second.delete('/api/scheduler/schedules/foreign_keys_keyed');
  });

  it('leaves the old execution to who started it', async () => {
    const id = old.get('open') ?? '';
    expect((await first.get(`/api/workflow/${id}`)).body.status).toBe('RUNNING');
  });
});

describe('a character that divides names from keys', () => {
  it('is refused in the name of a workflow and in a key', async () => {
    const workflowDef = { name: 'foreign_keys_ad-hoc', tasks: [wait] };
    const adHoc = { name: 'foreign_keys_ad-hoc', workflowDef, idempotencyKey: 'guessed' };
    const own = await started(first, adHoc);
    await first.delete(`/api/workflow/${own}`);
    const key = { idempotencyStrategy: 'RETURN_EXISTING' };
    // Name and key of one are read as name, starter and key of another.
    const name = 'foreign_keys_ad-hoc\u0000foreign_keys_first@x.org';
    const named = await second.post('/api/metadata/workflow', { name, tasks: [wait] });
    expect([named.status, named.text]).toEqual([400, expect.stringContaining('U+0000')]);
    const inline = { name, workflowDef: { name, tasks: [wait] } };
    const begun = await second.post('/api/workflow', inline);
    expect([begun.status, begun.text]).toEqual([400, expect.stringContaining('U+0000')]);
    await save(second, 'foreign_keys_ad-hoc');
    const idempotencyKey = 'foreign_keys_first@x.org\u0000guessed';
    const found = await second.post('/api/workflow', {
      name: 'foreign_keys_ad-hoc',
      ...key,
      idempotencyKey,
    });
    expect([found.status, found.text]).toEqual([400, expect.stringContaining('idempotencyKey')]);
    expect(found.text).not.toContain(own);
    const task = { name: 's', taskReferenceName: 's', type: 'START_WORKFLOW' };
    const startWorkflow = { name: 'foreign_keys_ad-hoc', ...key, idempotencyKey };
    const tasks = [{ ...task, inputParameters: { startWorkflow } }];
    const id = await started(second, { name: 'starts', workflowDef: { name: 'starts', tasks } });
    const seen = await until('its end', async () => {
      const { body, text } = await second.get(`/api/workflow/${id}`);
      return body.status === 'RUNNING' ? undefined : text;
    });
    expect(seen).toContain('may not hold the character U+0000');
    expect(seen).not.toContain(own);
  });
});
