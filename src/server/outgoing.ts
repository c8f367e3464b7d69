// What this server tells the outside of changes of executions, tasks and human tasks: status
// listeners (semantics 2.14) and signed webhooks. Engine, delivery of events and endpoints each use
// a part of it.
import { randomUUID } from 'node:crypto';
import { callerOf } from '../access/authenticator.js';
import type { Administration } from './administration.js';
import { outgoingRoutes } from '../api/outgoing/endpoints.js';
import type { Endpoint } from '../api/endpoint.js';
import type { Settings } from './settings-table.js';
import { systemCaller } from '../model/caller.js';
import { Deliveries } from '../operation/outgoing/deliveries.js';
import { DeliveryWorker, type Send } from '../operation/outgoing/delivery-worker.js';
import { Listeners } from '../operation/outgoing/listeners.js';
import { outgoingWebhookForm, OutgoingWebhooks } from '../operation/outgoing/outgoing-webhooks.js';
import type { RecordTables } from '../operation/records/record-tables.js';
import type { EventPublisher } from '../shard/executions.js';
import { systemClock, type Clock } from '../std/clock.js';
import type { OutgoingStore } from '../store/outgoing-store.js';
import type { OutboundClient } from '../system-task/outbound-client.js';
import type { Metrics } from '../telemetry/metrics.js';

export interface OutgoingParts {
  readonly settings: Settings;
  readonly tables: RecordTables;
  readonly administration: Administration;
  readonly store: OutgoingStore;
  readonly client: OutboundClient;
  /** Store time. */
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly failed: (error: unknown) => void;
}

const connectTimeoutMs = 5000;
const answerTimeoutMs = 15_000;

export class Outgoing {
  readonly listeners: Listeners;
  readonly worker: DeliveryWorker;
  readonly #webhooks: OutgoingWebhooks;
  readonly #deliveries: Deliveries;

  constructor({ settings, administration, ...parts }: OutgoingParts) {
    const { store, clock, metrics, client, failed } = parts;
    const { identities, access, ownership, secretBox: box, tags } = administration;
    const table = parts.tables.open(outgoingWebhookForm);
    this.listeners = new Listeners({
      ...{ table, access, clock },
      callerOf: (id) => (settings.auth && id !== '' ? callerOf(id, identities) : systemCaller),
      tagsOf: (workflowName) => tags.of('WORKFLOW_DEF', workflowName),
      workflowSink: settings.workflowStatusListenerSink,
      taskSink: settings.taskStatusListenerSink,
    });
    this.#webhooks = new OutgoingWebhooks({
      ...{ table, store, box, clock, access, ownership, randomId: randomUUID },
      webhooksMax: settings.outgoingWebhooksMax,
    });
    this.worker = new DeliveryWorker({
      ...{ webhooks: this.#webhooks, store, clock, loopClock: systemClock, failed },
      send: sendThrough(client),
      count: (outcome) => metrics.count('outgoingAttempts', outcome.toLowerCase()),
      waitingMax: settings.outgoingWaitingMax,
    });
    this.#deliveries = new Deliveries({
      ...{ webhooks: this.#webhooks, store, clock },
    });
  }

  /** Events for webhooks go to their deliveries, all others to `sinks`. */
  publisher(sinks: EventPublisher): EventPublisher {
    const { worker } = this;
    return {
      publish: (event) =>
        event.webhookId === undefined ? sinks.publish(event) : worker.publish(event),
    };
  }

  endpoints(): Endpoint[] {
    return outgoingRoutes({ webhooks: this.#webhooks, deliveries: this.#deliveries });
  }
}

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
