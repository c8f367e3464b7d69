// Events in a simulation (wide seeds): executions tell of a state change by their outbox, the
// product's publisher puts that into a queue of the store, and the product's consumer on the leader
// gives it to a handler that starts an execution. Whichever node publishes, leads or dies, each
// change starts exactly one (semantics 2.14.4, 6.2).
import { EventKeys } from '../../src/areas/events/keys.js';
import { EventConsumer } from '../../src/areas/events/consume/event-consumer.js';
import type { Leadership } from '../../src/placement/leadership.js';
import { systemCaller } from '../../src/model/caller.js';
import type { EventHandler } from '../../src/areas/events/event-handler.js';
import type { JsonMap } from '../../src/model/json.js';
import type { EventHandlers } from '../../src/areas/events/event-handlers.js';
import { createEventPublisher } from '../../src/operation/publish-event.js';
import type { Keys } from '../../src/redis/keys.js';
import type { EventPublisher } from '../../src/shard/executions.js';
import type { DeadLetterStore } from '../../src/areas/events/store/dead-letter-store.js';
import type { EventQueueStore } from '../../src/areas/events/store/event-queue-store.js';
import type { EventRecordStore } from '../../src/areas/events/store/event-record-store.js';
import type { WireWorkflow } from '../../testkit/wire.js';
import { startContext, startedOf, type ServerStartParts } from './server-starts.js';
import type { MemoryRedis } from './store/memory-redis.js';

export const tellingName = 'torture_telling';
const toldName = 'simulated_told';
const queue = `conductor:${tellingName}:ended`;
const eventLifeMs = 86_400_000;

/** What a task of the telling workflow says of its state changes. */
export const tellsOfItsEnd: JsonMap = { onStateChange: { onSuccess: [{ type: 'ended' }] } };

/** Ends at once, so that it costs little. */
export const toldWorkflow: JsonMap = {
  ...{ name: toldName, version: 1, schemaVersion: 2, ownerEmail: 'a@b.test' },
  tasks: [
    {
      ...{ name: 'set', taskReferenceName: 'set', type: 'SET_VARIABLE' },
      inputParameters: { of: '${workflow.input.of}' },
    },
  ],
};

const handler: EventHandler = {
  ...{ name: 'starter', event: queue, active: true, createdBy: '' },
  actions: [
    {
      action: 'start_workflow',
      parameters: { name: toldName, version: 1, input: { of: '${workflowInstanceId}' } },
      expandInlineJSON: false,
    },
  ],
};

export interface EventParts extends ServerStartParts {
  readonly queues: EventQueueStore;
  readonly records: EventRecordStore;
  readonly leadership: Leadership;
  readonly failed: (error: unknown) => void;
}

/** The publisher of a node, as in src/server/build-node.ts. */
export function buildPublisher(parts: Pick<EventParts, 'queues' | 'clock'>): EventPublisher {
  const { queues, clock } = parts;
  return createEventPublisher({
    eventSink: {
      publish: (name, event) => queues.publish(name, { ...event, publishedAt: clock.now() }),
      withdraw: (name, attemptKey) => queues.withdraw(name, attemptKey),
    },
    requireRight: () => undefined,
    ...{ serverSinks: [], clock, eventLifeMs },
  });
}

/** The consumer of a node, as in src/areas/events/area.ts. */
export function buildConsumer(parts: EventParts): EventConsumer {
  const { clock, queues, records, leadership, failed } = parts;
  return new EventConsumer({
    ...{ clock, queues, records, leadership, failed },
    handlers: handlers as unknown as EventHandlers,
    deadLetters: deadLetters as unknown as DeadLetterStore,
    operations: startContext(parts),
    evaluate: () => Promise.reject(new Error('The handler has no condition')),
    environment: () => undefined,
    callerOf: () => systemCaller,
    integrationOf: () => undefined,
  });
}

/** Every node knows the same ones. */
const handlers: Pick<EventHandlers, 'activeByEvent' | 'activeOf'> = {
  activeByEvent: new Map([[queue, [handler]]]),
  activeOf: (event) => (event === queue ? [handler] : []),
};

/** A message that can never be dealt with is a fault: the consumer's report names it. */
const deadLetters: Pick<DeadLetterStore, 'add'> = {
  add: ({ reason }) => Promise.reject(new Error(`A message became a dead letter: ${reason}`)),
};

/** Every change that was told of has been dealt with; all telling executions have ended. */
export function areEventsDone(redis: MemoryRedis, keys: Keys): boolean {
  const waiting = redis.call('ZCARD', new EventKeys(keys.prefix).order(queue)) as number;
  return waiting === 0 && startedOf(redis, toldName).length >= startedOf(redis, tellingName).length;
}

/** One sentence per violation; `read`: an execution as clients see it. */
export async function judgeEvents(
  redis: MemoryRedis,
  read: (id: string) => Promise<WireWorkflow | undefined>,
): Promise<string[]> {
  const found: string[] = [];
  const counts = new Map(startedOf(redis, tellingName).map((id) => [id, 0]));
  for (const id of startedOf(redis, toldName)) {
    const workflow = await read(id);
    const of = String(workflow?.input?.['of']);
    if (workflow?.status !== 'COMPLETED')
      found.push(`${id}, told by ${of}, is ${workflow?.status}`);
    const count = counts.get(of);
    if (count === undefined) found.push(`${id} was told by ${of}, which is not there`);
    else counts.set(of, count + 1);
  }
  for (const [id, count] of counts) {
    if (count !== 1) found.push(`the event of ${id} has started ${count} executions`);
  }
  return found;
}
