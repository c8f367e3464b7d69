// What a node of a simulation has for the world outside, as in src/areas/webhooks/area.ts,
// src/areas/human/area.ts and src/areas/outgoing: calls of webhooks and tasks that wait for
// them, human tasks with their index, and deliveries to an address. Stores, network and clock are
// those of the simulation; definitions never change and secrets are not sealed.
import { createHmac, randomBytes } from 'node:crypto';
import { everythingAllowed } from '../../../src/access/access-rules.js';
import { RequestRates } from '../../../src/std/request-rates.js';
import type { SecretBox } from '../../../src/access/secret-box.js';
import { localAdministrator, systemCaller } from '../../../src/model/caller.js';
import { SchemaReader } from '../../../src/operation/schemas/schema-reader.js';
import { FormValidation } from '../../../src/areas/human/form-validation.js';
import { HumanTasks, type HumanTasksParts } from '../../../src/areas/human/human-tasks.js';
import { createHumanTaskFollower } from '../../../src/areas/human/index-human-task.js';
import { DeliveryWorker } from '../../../src/areas/outgoing/delivery-worker.js';
import { Listeners } from '../../../src/areas/outgoing/listeners.js';
import { outgoingWebhook as outgoingNoun } from '../../../src/areas/outgoing/outgoing-webhook.js';
import {
  OutgoingWebhooks,
  type OutgoingWebhooksParts,
} from '../../../src/areas/outgoing/outgoing-webhooks.js';
import { WebhookEventWorker } from '../../../src/areas/webhooks/event-worker.js';
import { defaultValueLimits } from '../../../src/model/value-limits.js';
import { receiveCall, type ReceiveParts } from '../../../src/areas/webhooks/receive-call.js';
import { webhook } from '../../../src/areas/webhooks/webhook.js';
import { Webhooks, type WebhooksParts } from '../../../src/areas/webhooks/webhooks.js';
import type { RedisClient } from '../../../src/redis/client.js';
import { RedisHumanTaskStore } from '../../../src/redis/human-task-store.js';
import { RedisOutgoingStore } from '../../../src/areas/outgoing/redis-outgoing-store.js';
import { RedisWebhookEventStore } from '../../../src/areas/webhooks/redis-event-store.js';
import { RedisWebhookWaitStore } from '../../../src/areas/webhooks/redis-wait-store.js';
import type {
  EventPublisher,
  HumanTaskFollower,
  SystemTasks,
} from '../../../src/shard/executions.js';
import type { Clock } from '../../../src/std/clock.js';
import type { HumanTaskStore } from '../../../src/store/human-task-store.js';
import type { OutgoingStore } from '../../../src/areas/outgoing/outgoing-store.js';
import type { WebhookEventStore } from '../../../src/areas/webhooks/event-store.js';
import type { WebhookWaitStore } from '../../../src/areas/webhooks/wait-store.js';
import type { SystemTaskServices } from '../../../src/system-task/system-task.js';
import { SystemTaskRunner, defaultRunLimits } from '../../../src/system-task/system-task-runner.js';
import { waitForWebhookTask } from '../../../src/areas/webhooks/wait-for-webhook.js';
import { SummedLog } from '../../../src/telemetry/summed-log.js';
import type { NodeClock } from '../node-clock.js';
import { startContext, type ServerStartParts } from '../server-starts.js';
import { staticTable } from '../static-records.js';
import type { Address } from './address.js';
import {
  outgoingWebhook,
  plainHeader,
  plainId,
  signatureHeader,
  signingSecret,
  webhooks,
} from './definitions.js';

export interface OutsideStores {
  readonly webhookEvents: WebhookEventStore;
  readonly webhookWaits: WebhookWaitStore;
  readonly humanTasks: HumanTaskStore;
  readonly outgoing: OutgoingStore;
}

const lifeMs = 86_400_000;
const unsaid = new SummedLog({ log: { warn: () => undefined }, monotonic: () => 0 }, 'refused');
/** Shorter than the product's, so that more events are dealt with by two nodes. */
const claimMs = 2000;
const callsAtOnceMax = 1000;

export function outsideStores(redis: RedisClient): OutsideStores {
  return {
    webhookEvents: new RedisWebhookEventStore(redis, {
      historyMax: 100,
      historyLifeMs: lifeMs,
      claimMs,
    }),
    webhookWaits: new RedisWebhookWaitStore(redis, { shapesMax: 10, lifeMs }),
    humanTasks: new RedisHumanTaskStore(redis, { lookedAtMax: 100 }),
    outgoing: new RedisOutgoingStore(redis, { attemptsKept: 10, deadLettersMax: 10, lifeMs }),
  };
}

/** What is not sealed. */
const openBox: SecretBox = {
  seal: (plain) => Promise.resolve(plain),
  open: (sealed) => Promise.resolve(sealed),
  openNow: (sealed) => sealed,
};

/** Who is told of what, which the engine asks. */
export class OutsideListeners {
  readonly table = staticTable(outgoingNoun.record, [outgoingWebhook]);
  readonly listeners: Listeners;

  constructor(clock: Clock) {
    this.listeners = new Listeners({
      ...{ table: this.table, access: everythingAllowed, clock },
      callerOf: () => systemCaller,
      tagsOf: () => [],
      ...{ workflowSink: '', taskSink: '' },
    });
  }
}

export interface OutsideParts extends ServerStartParts {
  /** Of the process: it stands still with it. */
  readonly nodeClock: NodeClock;
  readonly stores: OutsideStores;
  readonly listening: OutsideListeners;
  readonly address: Address;
  readonly failed: (error: unknown) => void;
}

export class OutsidePart {
  readonly people: HumanTasks;
  readonly systemTasks: SystemTasks;
  readonly humanTasks: HumanTaskFollower;
  readonly #webhookTable = staticTable(webhook.record, webhooks);
  readonly #receiving: ReceiveParts;
  readonly #events: WebhookEventWorker;
  readonly #deliveries: DeliveryWorker;

  constructor(private readonly parts: OutsideParts) {
    const { clock, executions, stores, nodeClock, failed } = parts;
    const people = {
      ...{ context: { executions }, access: everythingAllowed, store: stores.humanTasks },
      ...{
        forms: { find: () => undefined },
        starterOf: () => localAdministrator,
        validation: new FormValidation(new SchemaReader(1000, clock)),
      },
    };
    this.people = new HumanTasks(people as unknown as HumanTasksParts);
    this.humanTasks = createHumanTaskFollower({
      ...{ store: stores.humanTasks, executions, indexed: () => undefined },
    });
    const services = { executions, webhookWaits: stores.webhookWaits };
    const waiting = waitForWebhookTask.create(services as unknown as SystemTaskServices);
    this.systemTasks = new SystemTaskRunner(new Map([[waitForWebhookTask.name, waiting]]), {
      ...{ clock: nodeClock, limits: defaultRunLimits, secrets: undefined, failed, executions },
    });
    this.#events = this.#buildEvents();
    this.#receiving = this.#buildReceiving(clock);
    this.#deliveries = this.#buildDeliveries();
  }

  get #webhooks(): Webhooks {
    const { stores } = this.parts;
    const used = {
      ...{ table: this.#webhookTable, events: stores.webhookEvents, box: openBox },
      secretsFor: () => () => undefined,
    };
    return new Webhooks(used as unknown as WebhooksParts);
  }

  #buildEvents(): WebhookEventWorker {
    const { clock, stores, failed } = this.parts;
    return new WebhookEventWorker({
      ...{ clock, failed, webhooks: this.#webhooks },
      ...{ events: stores.webhookEvents, waits: stores.webhookWaits },
      operations: startContext(this.parts),
      ownerOf: () => systemCaller,
      evaluate: () => Promise.reject(new Error('The webhook has no expression')),
      log: { warn: (fields, message) => failed(new Error(`${message} ${JSON.stringify(fields)}`)) },
    });
  }

  #buildReceiving(clock: Clock): ReceiveParts {
    const { stores } = this.parts;
    return {
      ...{ webhooks: this.#webhooks, events: stores.webhookEvents },
      randomId: () => randomBytes(8).toString('hex'),
      rates: new RequestRates({ burst: callsAtOnceMax, refillMs: 1 }),
      monotonic: () => clock.monotonic(),
      waiting: () => this.#events.waiting,
      waitingMax: callsAtOnceMax,
      values: defaultValueLimits,
      dispatch: (event) => this.#events.add(event),
      refusals: new RequestRates({ burst: callsAtOnceMax, refillMs: 1 }),
      refusalsShown: new RequestRates({ burst: callsAtOnceMax, refillMs: 1 }),
      ...{ unknown: unsaid, refused: unsaid },
      count: () => undefined,
    };
  }

  #buildDeliveries(): DeliveryWorker {
    const { clock, nodeClock, stores, listening, address, failed } = this.parts;
    const used = { table: listening.table, store: stores.outgoing, box: openBox };
    return new DeliveryWorker({
      webhooks: new OutgoingWebhooks(used as unknown as OutgoingWebhooksParts),
      ...{ store: stores.outgoing, clock, loopClock: nodeClock, failed },
      send: address.sendFrom(nodeClock),
      count: () => undefined,
      waitingMax: callsAtOnceMax,
    });
  }

  /** Events for the address go to its deliveries, all others to `sinks`. */
  publisher(sinks: EventPublisher): EventPublisher {
    return {
      publish: (event) =>
        event.webhookId === undefined ? sinks.publish(event) : this.#deliveries.publish(event),
    };
  }

  /** A call of a platform. Rejects with AppError 'unauthenticated' where it is refused. */
  async receive(webhookId: string, body: string): Promise<void> {
    const proof: [string, string] =
      webhookId === plainId ? [plainHeader, signingSecret] : [signatureHeader, signatureOf(body)];
    const headers = [proof, ['content-type', 'application/json'] as const];
    await receiveCall(
      this.#receiving,
      { id: webhookId, address: '' },
      {
        method: 'POST',
        headers: new Map(headers.map(([name, value]) => [name, [value]])),
        query: new Map(),
        body: Buffer.from(body),
        receivedAt: this.parts.clock.now(),
      },
    );
  }

  /** Before the node takes shards. */
  async load(): Promise<void> {
    await this.#webhookTable.load();
    await this.parts.listening.table.load();
  }

  async start(): Promise<void> {
    await this.#events.start();
    await this.#deliveries.start();
  }

  async stop(): Promise<void> {
    await this.#events.stop();
    await this.#deliveries.stop();
  }
}

function signatureOf(body: string): string {
  return `sha256=${createHmac('sha256', signingSecret).update(body).digest('hex')}`;
}
