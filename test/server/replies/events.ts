// Event handlers and queues, webhooks that come in and webhooks that go out.
import { expect, it } from 'vitest';
import { answerJson } from '../../support/model-server.js';
import { until } from '../../../testkit/until.js';
import { done, shown, models, secured, tagged } from './steps.js';

export function eventReplies(): void {
  it('come from event handlers', async () => {
    const start = { action: 'start_workflow', start_workflow: { name: 'flow', version: 1 } };
    const handler = {
      ...{ name: 'listener', event: 'conductor:told', active: true },
      actions: [start],
    };
    await done('POST', '/api/event', [handler]);
    await done('PUT', '/api/event', { ...handler, description: 'changed' });
    await done('POST', '/api/event/handler/test', { handler, message: { a: 1 } });
    await done('POST', '/api/event/handleIncomingEvent', { event: 'conductor:told', a: 1 });
    await shown(
      '/api/event',
      `/api/event/${encodeURIComponent('conductor:told')}`,
      '/api/event/handler',
      '/api/event/handler/listener',
      '/api/admin/queues',
      '/api/admin/queues?verbose=true',
      '/api/event/execution',
      '/api/event/execution/listener?from=0',
      '/api/event/message',
      `/api/event/message/${encodeURIComponent('conductor:told')}?from=0`,
    );
    await tagged('/api/event/listener');
    await done('DELETE', '/api/event/listener');
  });

  it('come from event queues', async () => {
    const queue = '/api/event/queue/config/kafka/orders';
    await done('PUT', queue, { bootstrapServers: '127.0.0.1:9' });
    await shown(queue, '/api/event/queue/config');
    await done('POST', '/api/event/queue/connectivity', { sink: 'conductor', input: {} });
    await done('DELETE', queue);
  });

  it('come from webhooks', async () => {
    const base = '/api/metadata/webhook';
    const webhook = {
      ...{ name: 'orders', sourcePlatform: 'Custom', verifier: 'HEADER_BASED' },
      ...{ headers: { 'X-Key': 'k1' }, workflowsToStart: { flow: 1 } },
    };
    const { id } = (await done('POST', base, webhook)).body;
    await done('PUT', base, { ...webhook, id });
    await done('PUT', `${base}/${id}`, webhook);
    await shown(base, `${base}/${id}`);
    await tagged(`${base}/${id}`);
    for (const path of ['/webhook', '/api/webhook']) {
      const headers = { 'x-key': 'k1' };
      const ping = await secured.nobody.request('GET', `${path}/${id}`, undefined, headers);
      const call = await secured.nobody.request('POST', `${path}/${id}`, { a: 1 }, headers);
      expect([ping.status, call.status]).toEqual([200, 200]);
    }
    await done('DELETE', `${base}/${id}`);
  });

  it('come from webhooks that go out', async () => {
    const base = '/api/metadata/outgoing-webhook';
    const webhook = {
      ...{ name: 'ends', url: models.endpoint, events: ['WORKFLOW_TERMINATED'] },
      ...{ attemptsMax: 1, retryDelayMs: 100, workflowNames: ['flow'] },
    };
    const { id } = (await done('POST', base, webhook)).body;
    const given = `${base}/${id}`;
    await done('PUT', given, webhook);
    const start = async (): Promise<void> => {
      models.next.push(answerJson({}, 410));
      const workflowId = (await done('POST', '/api/workflow/flow', {})).text;
      await done('DELETE', `/api/workflow/${workflowId}`);
      await until('a dead letter', async () => {
        const letters = (await done('GET', `${given}/dead-letters`)).body;
        return letters.length > 0;
      });
    };
    await start();
    await shown(base, given, `${given}/deliveries`);
    await done('POST', `${given}/dead-letters/redeliver`);
    await start();
    await done('DELETE', `${given}/dead-letters`);
    await done('DELETE', given);
  });
}
