// Tells other systems of changes of executions, tasks and human tasks: status listeners (semantics
// 2.14) and signed webhooks (docs/outgoing.md). Executions ask `Listeners` whom to tell; what is
// meant for a webhook goes to `DeliveryWorker`.
import { randomUUID } from 'node:crypto';
import { systemCaller } from '../../model/caller.js';
import { systemClock } from '../../std/clock.js';
import type { OutboundClient } from '../../system-task/outbound-client.js';
import { area } from '../area.js';
import { outgoingChecks, outgoingFindings } from './checks.js';
import { Deliveries } from './deliveries.js';
import { DeliveryWorker, type Send } from './delivery-worker.js';
import { deliveryRoutes } from './endpoints.js';
import { Listeners } from './listeners.js';
import { outgoingWebhook } from './outgoing-webhook.js';
import { OutgoingWebhooks } from './outgoing-webhooks.js';
import { RedisOutgoingStore } from './redis-outgoing-store.js';
import { outgoingSettings } from './settings.js';

const connectTimeoutMs = 5000;
const answerTimeoutMs = 15_000;

export const outgoing = area({
  name: 'outgoing',
  about: 'Tells the outside of changes of status: listeners and signed webhooks.',
  settings: outgoingSettings,
  records: { webhooks: outgoingWebhook.record },
  stores: (redis, settings, { retentionMs }) => ({
    deliveries: new RedisOutgoingStore(redis, {
      attemptsKept: settings.outgoingAttemptsKept,
      deadLettersMax: settings.outgoingDeadLettersMax,
      lifeMs: retentionMs,
    }),
  }),
  findings: outgoingFindings,
  checks: outgoingChecks,
  needsFirst: [
    ...(['clock', 'access', 'ownership', 'tags', 'secretBox', 'callerOf'] as const),
    ...(['outbound', 'failed'] as const),
  ],
  lends: ['listeners', 'deliveries'],
  begin(ports, { settings, records: { webhooks: table }, stores: { deliveries: store }, metrics }) {
    const { clock, access, ownership, tags, secretBox: box, callerOf, failed } = ports;
    const webhooks = new OutgoingWebhooks({
      ...{ table, store, box, clock, access, ownership, tags, randomId: randomUUID },
      webhooksMax: settings.outgoingWebhooksMax,
    });
    const worker = new DeliveryWorker({
      ...{ webhooks, store, clock, loopClock: systemClock, failed },
      send: sendThrough(ports.outbound),
      count: (outcome) => metrics.count('outgoingAttempts', outcome.toLowerCase()),
      waitingMax: settings.outgoingWaitingMax,
    });
    const listeners = new Listeners({
      ...{ table, access, clock },
      callerOf: (id) => (id === '' ? systemCaller : callerOf(id)),
      tagsOf: (workflowName) => tags.of('WORKFLOW_DEF', workflowName),
      workflowSink: settings.workflowStatusListenerSink,
      taskSink: settings.taskStatusListenerSink,
    });
    return { lent: { listeners, deliveries: worker }, webhooks, worker };
  },
  metrics: {
    outgoingAttempts: {
      name: 'downbeat_outgoing_attempts_total',
      kind: 'counter',
      help: 'Attempts to tell outgoing webhooks, by outcome: delivered, retry, dead',
      label: 'outcome',
    },
  },
  needs: ['clock'],
  build({ clock }, { stores: { deliveries: store }, begun: { webhooks, worker } }) {
    const deliveries = new Deliveries({ webhooks, store, clock });
    return {
      endpoints: [...webhooks.endpoints(), ...deliveryRoutes(deliveries)],
      services: [worker],
    };
  },
});

function sendThrough(client: OutboundClient): Send {
  return async ({ url, headers, body }) => {
    const answer = await client.request({
      ...{ url: new URL(url), method: 'POST', headers: new Map(headers), body },
      ...{ connectTimeoutMs, readTimeoutMs: answerTimeoutMs, followRedirects: false },
      signal: AbortSignal.timeout(connectTimeoutMs + answerTimeoutMs),
    });
    return answer.statusCode;
  };
}
