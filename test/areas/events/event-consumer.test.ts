// Which queues the leader reads: what could not be dealt with is tried again at the next visit, and
// a message whose mark was lost waits for a minute at most.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  EventConsumer,
  type EventConsumerParts,
} from '../../../src/areas/events/consume/event-consumer.js';
import type { EventMessage } from '../../../src/areas/events/store/event-queue-store.js';
import { defaultOperationLimits } from '../../../src/operation/context.js';
import { until } from '../../../testkit/until.js';
import { systemCaller } from '../../../src/model/caller.js';
import { VirtualClock } from '../../support/virtual-clock.js';

const event = 'conductor:flow:ended';
const handler = { name: 'h', event, active: true, actions: [], createdBy: '' };
const message: EventMessage = { id: 't1', attemptKey: 'e1:1', payload: '{}', publishedAt: 1 };
/** What the store does next; each step is replaced by the tests that need it. */
interface Steps {
  /** Before the marks are answered. */
  marks: () => Promise<void>;
  /** After a mark was removed. */
  unmarked: () => Promise<void>;
  /** Before a message is dealt with. */
  deal: () => Promise<void>;
}

let clock: VirtualClock;
let steps: Steps;
let waiting: EventMessage[];
let isMarked: boolean;
let failures: string[];
let reads: number;
let consumer: EventConsumer;

beforeEach(async () => {
  clock = new VirtualClock();
  const nothing = (): Promise<void> => Promise.resolve();
  steps = { marks: nothing, unmarked: nothing, deal: nothing };
  [waiting, isMarked, failures, reads] = [[], false, [], 0];
  const parts = {
    clock,
    queues: {
      onPublished: () => undefined,
      marked: async (queues: readonly string[]) => {
        const found = isMarked ? [...queues] : [];
        if (queues.length > 0) await steps.marks();
        return found;
      },
      unmark: async () => {
        isMarked = false;
        await steps.unmarked();
      },
      read: () => {
        reads += 1;
        return Promise.resolve([...waiting]);
      },
      remove: () => Promise.resolve(void (waiting = [])),
    },
    records: {
      find: async () => {
        await steps.deal();
        return [undefined];
      },
      keepMessage: nothing,
    },
    handlers: { activeByEvent: new Map([[event, [handler]]]), activeOf: () => [handler] },
    operations: { limits: defaultOperationLimits },
    callerOf: () => systemCaller,
    leadership: { leads: true },
    failed: (error: Error) => void failures.push(error.message),
  };
  consumer = new EventConsumer(parts as unknown as EventConsumerParts);
  await consumer.start();
  await look();
  await until('the first read', () => reads === 1);
});

afterEach(() => consumer.stop());

/** The consumer looks for messages, as it does each second. */
async function look(): Promise<void> {
  clock.advance(1000);
  await until('the look to end', () => clock.timers === 1);
}

function publish(): void {
  waiting = [message];
  isMarked = true;
}

async function expectDealtWith(): Promise<void> {
  await until('the message to be dealt with', () => waiting.length === 0);
}

describe('a message that could not be dealt with', () => {
  it('is tried again when it failed while the marks were asked for', async () => {
    let fail: ((error: Error) => void) | undefined;
    steps.deal = () => new Promise((_resolve, reject) => (fail = reject));
    publish();
    await look();
    await until('the message to be taken', () => fail !== undefined);
    steps.deal = () => Promise.resolve();
    steps.marks = async () => {
      fail?.(new Error('The owner cannot be reached'));
      await until('the failure', () => failures.length === 1);
    };
    await look();
    steps.marks = () => Promise.resolve();
    await look();
    await expectDealtWith();
  });

  it('is tried again when nobody knows whether its mark was removed', async () => {
    steps.unmarked = () => Promise.reject(new Error('The connection was lost'));
    publish();
    await look();
    await until('the failure', () => failures.length === 1);
    steps.unmarked = () => Promise.resolve();
    await look();
    await expectDealtWith();
  });
});

describe('a message without a mark', () => {
  it('is found within a minute', async () => {
    publish();
    isMarked = false;
    await look();
    await look();
    expect([reads, waiting.length]).toEqual([1, 1]);
    clock.advance(60_000);
    await until('the look to end', () => clock.timers === 1);
    await look();
    await expectDealtWith();
  });
});
