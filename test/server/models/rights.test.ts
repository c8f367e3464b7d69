// Tasks that use integrations, with authentication on: whose rights count, and where the key of the
// provider can be found afterwards.
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerJson, ModelServer } from '../../support/model-server.js';
import { SecuredServer, type Session } from '../../../testkit/secured-server.js';
import { until } from '../../../testkit/until.js';

const key = 'canary-key-71b8e0';
const provider = new ModelServer();

let secured: SecuredServer;
beforeAll(async () => {
  await provider.start();
  secured = await SecuredServer.start({ args: ['--outbound-allow-inside=true'] });
  const { admin } = secured;
  const configuration = { api_key: key, endpoint: provider.endpoint };
  await admin.post('/api/integrations/provider/ai', { type: 'openai', configuration });
  await admin.post('/api/integrations/provider/ai/integration/m', {});
  const inputParameters = { llmProvider: 'ai', model: 'm', prompt: 'x' };
  const task = { name: 't', taskReferenceName: 't', type: 'LLM_TEXT_COMPLETE', inputParameters };
  await admin.put('/api/metadata/workflow', [{ name: 'asks', version: 1, tasks: [task] }]);
});
afterAll(async () => {
  await secured?.stop();
  await provider.stop();
});

async function run(
  by: Session,
  name = 'asks',
): Promise<{ status: string; reasonForIncompletion?: string }> {
  const started = await by.post(`/api/workflow/${name}`, {});
  expect([started.status, started.text]).toEqual([200, expect.stringMatching(/^[\w-]+$/)]);
  const workflow = await until('the end of the execution', async () => {
    const { body } = await secured.admin.get(`/api/workflow/${started.text}?includeTasks=true`);
    return body.status === 'RUNNING' ? undefined : body;
  });
  return workflow.tasks[0];
}

describe('a task with an integration', () => {
  it('has the rights of who started the execution', async () => {
    const caller = await secured.user('asks@x.org', ['WORKFLOW_MANAGER']);
    expect(await run(caller)).toMatchObject({
      status: 'FAILED_WITH_TERMINAL_ERROR',
      reasonForIncompletion: 'asks@x.org has no READ access on INTEGRATION ai:m',
    });
    expect(provider.asked).toEqual([]);
    await secured.admin.post('/api/auth/authorization', {
      subject: { type: 'USER', id: 'asks@x.org' },
      target: { type: 'INTEGRATION', id: 'ai:m' },
      access: ['READ'],
    });
    expect(await run(caller)).toMatchObject({ status: 'COMPLETED' });
  });

  it('reads a registered prompt only where who started the execution may', async () => {
    const { admin } = secured;
    const saved = [{ name: 'greet', template: 'Say hello to ${who}', description: 'd' }];
    expect(await admin.status('POST', '/api/prompts', saved)).toBe(200);
    const promptVariables = { who: 'you' };
    const inputParameters = { llmProvider: 'ai', model: 'm', promptName: 'greet', promptVariables };
    const task = { name: 't', taskReferenceName: 't', type: 'LLM_TEXT_COMPLETE', inputParameters };
    await admin.put('/api/metadata/workflow', [{ name: 'greets', version: 1, tasks: [task] }]);
    const caller = await secured.user('greets@x.org', ['WORKFLOW_MANAGER']);
    const allow = async (type: string, id: string): Promise<unknown> =>
      await admin.post('/api/auth/authorization', {
        ...{ subject: { type: 'USER', id: 'greets@x.org' }, target: { type, id } },
        access: ['READ'],
      });
    await allow('INTEGRATION', 'ai:m');
    const asked = provider.asked.length;
    expect(await run(caller, 'greets')).toMatchObject({
      status: 'FAILED_WITH_TERMINAL_ERROR',
      reasonForIncompletion: 'greets@x.org has no READ access on PROMPT greet',
    });
    expect(provider.asked).toHaveLength(asked);
    await allow('PROMPT', 'greet');
    expect(await run(caller, 'greets')).toMatchObject({ status: 'COMPLETED' });
    expect(provider.last.body.messages).toEqual([{ role: 'user', content: 'Say hello to you' }]);
  });

  it('publishes events at a broker only for who may use its integration', async () => {
    const { admin } = secured;
    const category = 'MESSAGE_BROKER';
    // Nothing listens at the endpoint: who gets through is told so.
    const configuration = { endpoint: '127.0.0.1:9' };
    const saved = { type: 'redis_stream', category, enabled: true, configuration };
    expect(await admin.status('POST', '/api/integrations/provider/broker', saved)).toBe(200);
    const event = { name: 'e', taskReferenceName: 'e', type: 'EVENT', retryCount: 0 };
    const tasks = [{ ...event, sink: 'redis_stream:broker:orders' }];
    await admin.put('/api/metadata/workflow', [{ name: 'publishes', version: 1, tasks }]);
    const caller = await secured.user('publishes@x.org', ['WORKFLOW_MANAGER']);
    expect(await run(caller, 'publishes')).toMatchObject({
      status: 'FAILED_WITH_TERMINAL_ERROR',
      reasonForIncompletion: 'publishes@x.org has no EXECUTE access on INTEGRATION_PROVIDER broker',
    });
    await admin.post('/api/auth/authorization', {
      subject: { type: 'USER', id: 'publishes@x.org' },
      target: { type: 'INTEGRATION_PROVIDER', id: 'broker' },
      access: ['EXECUTE'],
    });
    expect(await run(caller, 'publishes')).toMatchObject({
      status: 'FAILED',
      reasonForIncompletion: expect.stringMatching(/^redis_stream \(integration broker\): /),
    });
  });

  it('leaves its key in no file of the server, also when the provider repeats it', async () => {
    provider.next.push(answerJson({ error: { message: `your key ${key}` } }, 400));
    const { reasonForIncompletion } = await run(secured.admin);
    expect(reasonForIncompletion).toBe('ai answered 400 Bad Request: your key ***');
    const folder = secured.server.dataDir;
    const files = fs
      .readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name));
    expect(files.some((file) => fs.readFileSync(file).includes('your key ***'))).toBe(true);
    expect(files.filter((file) => fs.readFileSync(file).includes(key))).toEqual([]);
    expect(secured.server.output).not.toContain(key);
  });
});
