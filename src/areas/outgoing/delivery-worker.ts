// Sends what outgoing webhooks are told. A delivery is on disk before its execution counts it as
// told; the node that stored it sends it at once, and any node takes up what is due in the store:
// attempts that failed, and what a node left behind that died. So each is sent at least once, under
// one id. An address that answers with anything but 2xx, or not at all, is asked again with growing
// pauses; after `attemptsMax` attempts the delivery becomes a dead letter, which can be sent anew.
// One webhook never holds up another: each has a few attempts under way at a time.
import { settledWithin, type Clock } from '../../std/clock.js';
import { PeriodicLoop } from '../../std/periodic-loop.js';
import type { Service } from '../../std/service.js';
import {
  bodyOf,
  type Delivery,
  type DeliveryAttempt,
  type OutgoingWebhook,
} from './outgoing-webhook.js';
import { numberFrom, textFrom, toJsonText } from '../../model/json-text.js';
import type { EventPublisher, PublishedEvent } from '../../shard/executions.js';
import type { OutgoingStore } from './outgoing-store.js';
import { DeliveryLanes } from './delivery-lanes.js';
import { signingKeyOf, type OutgoingWebhooks } from './outgoing-webhooks.js';
import { signatureHeaders } from './sign-delivery.js';
import { traceHeaders } from '../../telemetry/trace-context.js';

/** Sends one request; resolves with the status of the answer. Rejects with why there was none. */
export type Send = (request: {
  readonly url: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}) => Promise<number>;

export interface DeliveryWorkerParts {
  readonly webhooks: OutgoingWebhooks;
  readonly store: OutgoingStore;
  readonly send: Send;
  /** Store time. */
  readonly clock: Clock;
  /** Of the process, for its loop. */
  readonly loopClock: Clock;
  readonly count: (outcome: DeliveryAttempt['outcome']) => void;
  readonly failed: (error: unknown) => void;
  /** Deliveries of one webhook that may be on their way; further ones are given up at once. */
  readonly waitingMax: number;
}

const lookEveryMs = 500;
/** How long the end of what is being sent is waited for when the node stops. */
const stopMsMax = 2000;
/** A node that has not finished an attempt by then is taken for dead. */
const claimMs = 60_000;
/** The last attempt of a claim begins by then, so that it ends before the claim does. */
const beginMs = 30_000;
const webhooksPerLookMax = 500;
const laneLimits = { atOnceMax: 8, waitingMax: 100 };
const retryDelayMsMax = 3_600_000;
/** Pauses vary by this part, so that deliveries which failed together do not come together. */
const jitter = 0.2;
const errorCharsMax = 500;

export class DeliveryWorker implements EventPublisher, Service {
  readonly #lanes: DeliveryLanes;
  readonly #loop: PeriodicLoop;
  #isStopped = true;
  /** The node does not wait any more: what comes of an attempt now says nothing of it. */
  #isLeft = false;

  constructor(private readonly parts: DeliveryWorkerParts) {
    const { clock, loopClock, failed } = parts;
    const attempt = (delivery: Delivery): Promise<void> => this.#attempt(delivery).catch(failed);
    this.#lanes = new DeliveryLanes(laneLimits, () => clock.now(), attempt);
    this.#loop = new PeriodicLoop({
      name: 'DeliveryWorker',
      ...{ clock: loopClock, failed, everyMs: lookEveryMs },
      runsOn: 'node',
      runOnce: () => this.lookOnce(),
    });
  }

  async start(): Promise<void> {
    this.#isStopped = false;
    await this.#loop.start();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#loop.stop();
    await settledWithin(this.parts.clock, this.#lanes.empty(), stopMsMax);
    this.#isLeft = true;
  }

  /** Stores what a webhook is told, and sends it soon. */
  async publish({ webhookId = '', key, payload, trace }: PublishedEvent): Promise<void> {
    if (this.parts.webhooks.find(webhookId) === undefined) return;
    const now = this.parts.clock.now();
    const { eventType, eventTime, ...content } = payload;
    const type = textFrom(eventType);
    const body = toJsonText(bodyOf(type, numberFrom(eventTime), content));
    const created = { id: key, webhookId, eventType: type, body, createdAt: now };
    const traced = trace === undefined ? created : { ...created, trace };
    await this.deliver({ ...traced, attempts: 0, lastError: '' });
  }

  /** Stores a delivery, and sends it soon. */
  async deliver(delivery: Delivery): Promise<void> {
    const { store, clock, waitingMax } = this.parts;
    const now = clock.now();
    const begins = !this.#isStopped && this.#lanes.roomFor(delivery.webhookId) > 0;
    const waiting = await store.add(delivery, begins ? now + claimMs : now);
    if (waiting > waitingMax) {
      const why = `More than ${waitingMax} deliveries wait (outgoingWaitingMax)`;
      await this.#giveUp(delivery, attemptOf(delivery, { time: now, error: why, attempt: 0 }));
    } else if (begins) this.#lanes.add(delivery, now + beginMs);
  }

  /** Takes up what is due. */
  async lookOnce(): Promise<void> {
    const { store, clock, webhooks } = this.parts;
    if (webhooks.size === 0) return;
    const now = clock.now();
    for (const webhookId of await store.dueWebhooks(now, webhooksPerLookMax)) {
      const limit = this.#lanes.roomFor(webhookId);
      if (limit === 0) continue;
      const claim = { webhookId, now, until: now + claimMs, limit };
      for (const delivery of await store.claim(claim)) {
        if (!this.#isStopped) this.#lanes.add(delivery, now + beginMs);
      }
    }
  }

  async #attempt(delivery: Delivery): Promise<void> {
    const { webhooks, store, clock, count } = this.parts;
    const webhook = webhooks.find(delivery.webhookId);
    if (webhook === undefined) return await store.forget(delivery.webhookId);
    const startAt = clock.now();
    const { status, error } = await this.#send(webhook, delivery);
    // Another node sends it again when the claim is over.
    if (this.#isLeft) return;
    const attempts = delivery.attempts + 1;
    const facts = { time: startAt, status, error, durationMs: clock.now() - startAt };
    const attempt = attemptOf(delivery, { ...facts, attempt: attempts });
    if (error === '') {
      await store.finish(delivery, { ...attempt, outcome: 'DELIVERED' }, undefined);
      return count('DELIVERED');
    }
    const next: Delivery = { ...delivery, attempts, lastError: error };
    if (attempts >= webhook.attemptsMax) return await this.#giveUp(next, attempt);
    await store.postpone(next, clock.now() + pauseMs(webhook, attempts), attempt);
    count('RETRY');
  }

  async #giveUp(delivery: Delivery, attempt: DeliveryAttempt): Promise<void> {
    const { store, clock, count } = this.parts;
    const dead = { ...delivery, lastError: attempt.error, diedAt: clock.now() };
    await store.finish(delivery, { ...attempt, outcome: 'DEAD' }, dead);
    count('DEAD');
  }

  /** `error` is '' for an answer 2xx. */
  async #send(
    webhook: OutgoingWebhook,
    { id, body, trace }: Delivery,
  ): Promise<{ status: number; error: string }> {
    const { webhooks, send, clock } = this.parts;
    try {
      const secrets = await webhooks.secretsOf(webhook);
      const atSeconds = Math.floor(clock.now() / 1000);
      const status = await send({
        url: webhook.url,
        headers: [
          ...(trace === undefined ? [] : traceHeaders(trace)),
          ...Object.entries(secrets.headers),
          ['content-type', 'application/json'],
          ...signatureHeaders(signingKeyOf(secrets), { id, atSeconds, body }),
        ],
        body,
      });
      const isTaken = status >= 200 && status < 300;
      return { status, error: isTaken ? '' : `The address answered ${status}` };
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      return { status: 0, error: text.slice(0, errorCharsMax) || 'No answer' };
    }
  }
}

function attemptOf(
  { id, eventType }: Delivery,
  facts: Partial<DeliveryAttempt> & Pick<DeliveryAttempt, 'time' | 'error' | 'attempt'>,
): DeliveryAttempt {
  const none = { deliveryId: id, eventType, durationMs: 0, status: 0, outcome: 'RETRY' } as const;
  return { ...none, ...facts };
}

function pauseMs({ retryDelayMs }: OutgoingWebhook, attempts: number): number {
  const pause = Math.min(retryDelayMs * 2 ** (attempts - 1), retryDelayMsMax);
  return Math.round(pause * (1 - jitter / 2 + jitter * Math.random()));
}
