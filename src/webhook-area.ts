// Webhooks (interface 4.15): definitions, calls of platforms, and what deals with their events.
import { RequestRates } from './access/request-rates.js';
import { TrustedProxies } from './api/identity/client-address.js';
import { webhookRoutes } from './api/webhooks/definitions.js';
import { incomingWebhookRoutes } from './api/webhooks/incoming.js';
import type { Area, AreaParts } from './area.js';
import { WebhookEventWorker } from './operation/webhooks/event-worker.js';
import { SummedLog } from './telemetry/summed-log.js';
import { webhookForm, Webhooks } from './operation/webhooks/webhooks.js';

/** Refused calls of one webhook from one address, and one more in this time. */
const refusedCalls = { burst: 100, refillMs: 1000 };
/** Those of one webhook that stand in its history. */
const refusedCallsShown = { burst: 20, refillMs: 1000 };

export function webhookArea(parts: AreaParts): Area {
  const { settings, clock, access, operations, administration, log, metrics } = parts;
  const { tags, ownership, secretBox: box } = administration;
  const { randomId } = operations;
  const { webhooksMax, webhookCallsPerSecondMax: callsMax } = settings;
  const { webhookEvents: events, webhookWaits: waits } = parts.stores;
  const table = parts.tables.open(webhookForm);
  const webhooks = new Webhooks({
    table,
    events,
    box,
    clock,
    access,
    ownership,
    tags,
    randomId,
    secretsFor: administration.secretHandOut.lookupFor,
    webhooksMax,
  });
  tags.describe('WEBHOOK', (id) => [{ id, displayName: webhooks.find(id)?.name ?? id }]);
  const worker = new WebhookEventWorker({
    operations,
    waits,
    ownerOf: (ownerId) => administration.owner(ownerId),
    evaluate: (request) => parts.sandbox.evaluate(request),
    log,
    webhooks,
    events,
    clock,
    failed: (error) => log.warn({ err: error }, 'an event of a webhook is tried again'),
  });
  const logParts = { log, monotonic: () => clock.monotonic() };
  const incoming = incomingWebhookRoutes({
    webhooks,
    events,
    randomId,
    rates: new RequestRates({ burst: callsMax, refillMs: 1000 / callsMax }),
    monotonic: () => clock.monotonic(),
    waiting: () => worker.waiting,
    waitingMax: settings.webhookEventsWaitingMax,
    values: settings,
    dispatch: (event) => worker.add(event),
    count: (outcome) => metrics.count('webhookCalls', outcome),
    refusals: new RequestRates(refusedCalls),
    refusalsShown: new RequestRates(refusedCallsShown),
    unknown: new SummedLog(logParts, 'a call for a webhook that does not exist'),
    refused: new SummedLog(logParts, 'a call of a webhook was refused'),
    now: () => clock.now(),
    proxies: new TrustedProxies(settings.trustedProxies),
    bodyBytesMax: settings.webhookBodyBytesMax,
  });
  return { endpoints: [...webhookRoutes({ webhooks, tags }), ...incoming], services: [worker] };
}
