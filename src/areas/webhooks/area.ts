// Webhooks (interface 4.15): definitions, calls of platforms, and what deals with their events.
import { RequestRates } from '../../std/request-rates.js';
import { TrustedProxies } from '../../api/client-address.js';
import { SummedLog } from '../../telemetry/summed-log.js';
import { area } from '../area.js';
import { checkWaits, webhookChecks, webhookFindings } from './checks.js';
import { WebhookEventWorker } from './event-worker.js';
import { incomingWebhookRoutes } from './incoming.js';
import { RedisWebhookEventStore } from './redis-event-store.js';
import { RedisWebhookWaitStore } from './redis-wait-store.js';
import { webhookSettings } from './settings.js';
import { waitForWebhookTask } from './wait-for-webhook.js';
import { webhook } from './webhook.js';
import { Webhooks } from './webhooks.js';

/** A node that has not dealt with its event by then is taken for dead, ms. */
const claimMs = 15_000;
/** Refused calls of one webhook from one address, and one more in this time. */
const refusedCalls = { burst: 100, refillMs: 1000 };
/** Those of one webhook that stand in its history. */
const refusedCallsShown = { burst: 20, refillMs: 1000 };

export const webhooks = area({
  name: 'webhooks',
  about: 'Takes calls of other platforms: they start workflows and complete tasks that wait.',
  settings: webhookSettings,
  records: { webhooks: webhook.record },
  stores: (redis, { webhookHistoryMax }, { retentionMs }) => ({
    events: new RedisWebhookEventStore(redis, {
      historyMax: webhookHistoryMax,
      historyLifeMs: retentionMs,
      claimMs,
    }),
    waits: new RedisWebhookWaitStore(redis),
  }),
  findings: webhookFindings,
  checks: webhookChecks,
  executionChecks: [checkWaits],
  taskTypes: [waitForWebhookTask],
  lends: ['webhookWaits'],
  begin: (_ports, { stores: { waits } }) => ({ lent: { webhookWaits: waits } }),
  metrics: {
    webhookCalls: {
      name: 'downbeat_webhook_calls_total',
      kind: 'counter',
      help: 'Calls of webhooks, by outcome: taken, challenge, refused, too_many, unknown',
      label: 'outcome',
    },
  },
  needs: [
    ...(['clock', 'log', 'access', 'ownership', 'tags', 'operations', 'ownerOf'] as const),
    ...(['secretBox', 'secretsFor', 'evaluate'] as const),
    ...(['valueLimits', 'trustedProxies', 'retentionMs'] as const),
  ],
  build(ports, { settings, records: { webhooks: table }, stores: { events, waits }, metrics }) {
    const { clock, log, access, ownership, tags, operations, ownerOf, secretBox: box } = ports;
    const { randomId } = operations;
    const { webhooksMax, webhookCallsPerSecondMax: callsMax } = settings;
    const webhooks = new Webhooks({
      ...{ table, events, box, clock, access, ownership, tags, randomId, webhooksMax },
      secretsFor: ports.secretsFor,
    });
    tags.describe('WEBHOOK', (id) => [{ id, displayName: webhooks.find(id)?.name ?? id }]);
    const worker = new WebhookEventWorker({
      ...{ operations, ownerOf, log, webhooks, events, waits, clock },
      evaluate: ports.evaluate,
      failed: (error) => log.warn({ err: error }, 'an event of a webhook is tried again'),
    });
    const monotonic = (): number => clock.monotonic();
    const incoming = incomingWebhookRoutes({
      ...{ webhooks, events, randomId, monotonic },
      rates: new RequestRates({ burst: callsMax, refillMs: 1000 / callsMax }),
      waiting: () => worker.waiting,
      waitingMax: settings.webhookEventsWaitingMax,
      values: ports.valueLimits,
      dispatch: (event) => worker.add(event),
      count: (outcome) => metrics.count('webhookCalls', outcome),
      refusals: new RequestRates(refusedCalls),
      refusalsShown: new RequestRates(refusedCallsShown),
      unknown: new SummedLog({ log, monotonic }, 'a call for a webhook that does not exist'),
      refused: new SummedLog({ log, monotonic }, 'a call of a webhook was refused'),
      now: () => clock.now(),
      proxies: new TrustedProxies(ports.trustedProxies),
      bodyBytesMax: settings.webhookBodyBytesMax,
    });
    return { endpoints: [...webhooks.endpoints(), ...incoming], services: [worker] };
  },
});
