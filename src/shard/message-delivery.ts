// Carries out the messages of an execution to others (invariants M5, 7.9): each outbox message is
// delivered until its receiver has confirmed behind its own gate, then the sender is told with
// `message-delivered`, which deletes it in its next commit. Every kind is idempotent at its
// receiver, so a message that is delivered twice (crash, reload) does nothing the second time:
//   start-child, start-workflow   derived id: an existing execution is answered as started
//   terminate-child               terminal executions ignore it
//   report-end, reopen-parent     the task's record is a fence: a superseded, finished or unknown
//                                 task ignores it
//   command-child, command-other  the receiver's state is a fence
//   human-task-changed            the index takes the task as it is now
//   take-place, leave-place       the room knows the number of the newest message
//   publish-event                 the queue, or the list of deliveries, knows its key
// Outbox messages of one sender to one receiver keep their order. Those of different senders do not
// wait for each other. They must not: a retry goes from parent to child in search of the deepest
// failure, and what it finds there reopens its parent while the first message is still under way.
import { ownRecord } from '../model/json.js';
import { sleep, within, type Clock } from '../std/clock.js';
import { KeyedChain } from '../std/keyed-chain.js';
import type { ExecutionId } from '../std/ids.js';
import { AppError } from '../model/errors.js';
import type { OutboxMessage } from '../model/execution.js';
import type { Command, DeliveryAnswer } from '../engine/command.js';
import type { CommitPipeline } from './commit-pipeline.js';
import type { ExecutionActor } from './execution-actor.js';
import {
  bySystem,
  type DerivedStarts,
  type EventPublisher,
  type Executions,
  type HumanTaskFollower,
  type PublishedEvent,
  type ShardMonitor,
} from './executions.js';
import type { ExecutionPermits } from './execution-permits.js';
import { deliveryOf } from './open-work.js';
import type { DurableOutputOf } from './pending-commit.js';
import { textFrom } from '../model/json-text.js';
import { passedOn } from '../model/task-trace.js';

export interface MessageDeliveryParts {
  readonly clock: Clock;
  readonly executions: Pick<Executions, 'command'>;
  readonly starts: DerivedStarts;
  readonly humanTasks: HumanTaskFollower;
  readonly events: EventPublisher;
  readonly permits: ExecutionPermits;
  readonly pipeline: CommitPipeline;
  readonly monitor: ShardMonitor;
}

const retryDelayMs = 200;
/** Of events the pause doubles up to here: who is to get them may be away for hours. */
const eventRetryDelayMsMax = 30_000;
/** Pause between two checks of the quota for an order, and the time after which it goes anyway. */
const roomRetryMs = 1000;
const roomWaitMsMax = 60_000;

type StartOrder = Extract<OutboxMessage, { kind: 'start-child' | 'start-workflow' }>;

export class MessageDelivery {
  readonly #chains = new KeyedChain();

  constructor(private readonly parts: MessageDeliveryParts) {}

  deliver(actor: ExecutionActor, { message }: DurableOutputOf<'send'>): void {
    if (actor.work.has(deliveryOf(message.id))) return;
    actor.work.begin(deliveryOf(message.id));
    void this.#chains.run(wayOf(actor, message), () => this.#untilDone(actor, message));
  }

  /**
   * Resolves when the outbox messages that the execution took on after the one numbered `after` are
   * done, and those they caused in turn, or after `timeoutMs`. Older ones may be waiting for this
   * very command: a child reopens its parent while the parent's message to it is under way. Starts
   * count only when `starts`.
   */
  async settled(
    actor: ExecutionActor,
    after: number,
    timeoutMs: number,
    starts = false,
  ): Promise<void> {
    const waits: Promise<unknown>[] = [];
    for (const message of actor.open.execution.outbox.values()) {
      if (message.id <= after) continue;
      if (!starts && (message.kind === 'start-child' || message.kind === 'start-workflow'))
        continue;
      const chain = this.#chains.last(wayOf(actor, message));
      if (chain) waits.push(chain);
    }
    if (waits.length === 0) return;
    await within(this.parts.clock, Promise.all(waits), timeoutMs);
  }

  async #untilDone(actor: ExecutionActor, message: OutboxMessage): Promise<void> {
    // A fork may start a thousand children at once.
    await this.parts.pipeline.turns.next(actor.share);
    await this.#quota(actor, message);
    for (let delayMs = retryDelayMs; !actor.isDropped; delayMs = nextDelay(message, delayMs)) {
      try {
        const answer = await this.#carryOut(actor, message);
        if (!actor.isDropped) {
          actor.work.end(deliveryOf(message.id));
          const messageId = message.id;
          await this.parts.pipeline.submit(actor, { kind: 'message-delivered', messageId, answer });
        }
        return;
      } catch (error) {
        if (actor.isDropped) return;
        if (!(error instanceof AppError) || error.kind === 'internal')
          this.parts.monitor.failed(error);
        await sleep(this.parts.clock, delayMs);
      }
    }
  }

  /** Waits until the quotas let a start through; `why` tells of it meanwhile. */
  async #quota(actor: ExecutionActor, message: OutboxMessage): Promise<void> {
    if (message.kind !== 'start-child' && message.kind !== 'start-workflow') return;
    const { starts, clock } = this.parts;
    const held = starts.hold?.(actor.open, message.request);
    if (held !== undefined) {
      await this.#whileHeld(actor, message, held.quota, () => sleep(clock, held.waitMs));
    }
    if (message.kind === 'start-workflow') await this.#waitForQuota(actor, message);
  }

  /**
   * Waits until a quota on open executions lets it through, but not for ever: those that are open
   * may wait for this very order. Children do not wait: their parents are open until they end.
   */
  async #waitForQuota(actor: ExecutionActor, message: StartOrder): Promise<void> {
    const { starts, clock } = this.parts;
    const untilAt = clock.monotonic() + roomWaitMsMax;
    while (!actor.isDropped && clock.monotonic() < untilAt) {
      const quota = await starts.full?.(message.request).catch(() => undefined);
      if (quota === undefined) return;
      await this.#whileHeld(actor, message, quota, () => sleep(clock, roomRetryMs));
    }
  }

  /** `why` names the quota while `wait` lasts. */
  async #whileHeld(
    actor: ExecutionActor,
    { taskNumber }: StartOrder,
    quota: string,
    wait: () => Promise<void>,
  ): Promise<void> {
    if (taskNumber !== undefined) actor.open.heldOrders.set(taskNumber, quota);
    await wait();
    if (taskNumber !== undefined) actor.open.heldOrders.delete(taskNumber);
  }

  async #carryOut(actor: ExecutionActor, message: OutboxMessage): Promise<DeliveryAnswer> {
    try {
      return await this.#send(actor, message);
    } catch (error) {
      if (error instanceof AppError && error.isFinal) {
        const { message, kind } = error;
        return { kind: 'refused', message, isForbidden: kind === 'forbidden' };
      }
      throw error;
    }
  }

  async #send(actor: ExecutionActor, message: OutboxMessage): Promise<DeliveryAnswer> {
    switch (message.kind) {
      case 'start-child': {
        const { childId: id, request, taskNumber } = message;
        const order = { id, request, sender: actor.open, taskNumber, isChild: true };
        const started = await this.parts.starts.start(order);
        return { kind: 'started', ...started };
      }
      case 'start-workflow': {
        const { startedId: id, request, taskNumber } = message;
        const order = { id, request, sender: actor.open, taskNumber, isChild: false };
        const started = await this.parts.starts.start(order);
        return { kind: 'started', ...started };
      }
      case 'terminate-child':
        return this.#tell(message.childId, {
          kind: 'terminate',
          reason: message.reason,
          triggerFailureWorkflow: false,
          byParent: true,
        });
      case 'report-end':
        return this.#tell(message.parentId, endOf(actor, message));
      case 'reopen-parent':
        return this.#tell(message.parentId, {
          kind: 'child-reopened',
          taskNumber: message.taskNumber,
          childId: actor.id,
          operation: message.operation,
        });
      case 'command-child':
        return this.#tell(message.childId, ownRecord<SentCommand>(message.operation));
      case 'command-other':
        return this.#tell(message.targetId, ownRecord<SentCommand>(message.operation));
      case 'human-task-changed':
        await this.parts.humanTasks.changed(actor.open, message.taskNumber);
        return { kind: 'done' };
      case 'take-place': {
        const { room, places, isForced, id: number } = message;
        const startedAt = actor.open.execution.state.createTime;
        const request = { id: actor.id, room, number, places, isForced, startedAt };
        return { kind: 'done', value: await this.parts.permits.take(request) };
      }
      case 'leave-place':
        await this.parts.permits.leave({ id: actor.id, room: message.room, number: message.id });
        return { kind: 'done' };
      case 'publish-event':
        await this.parts.events.publish(eventOf(actor, message));
        return { kind: 'done' };
    }
  }

  async #tell(id: ExecutionId, command: Command): Promise<DeliveryAnswer> {
    await this.parts.executions.command(id, command, bySystemToTheEnd);
    return { kind: 'done' };
  }
}

/** Waits until what the command causes has been carried out as well. */
const bySystemToTheEnd = { ...bySystem, awaitDelivery: true };

/** The one command that executions send each other as JSON. */
type SentCommand = Extract<Command, { kind: 'retry' }>;

function nextDelay({ kind }: OutboxMessage, delayMs: number): number {
  return kind === 'publish-event' ? Math.min(delayMs * 2, eventRetryDelayMsMax) : delayMs;
}

function endOf(actor: ExecutionActor, message: OutboxMessage & { kind: 'report-end' }): Command {
  const { execution } = actor.open;
  const { name, version } = execution.snapshot.def;
  return {
    kind: 'child-ended',
    taskNumber: message.taskNumber,
    childId: actor.id,
    status: message.status,
    ...(message.reason === undefined ? {} : { reason: message.reason }),
    output: execution.output,
    nameVersionId: `${name}.${version}/${actor.id}`,
  };
}

function eventOf(
  actor: ExecutionActor,
  message: OutboxMessage & { kind: 'publish-event' },
): PublishedEvent {
  const { sink, webhookId, taskId, at, payload } = message;
  const workflowName = actor.open.execution.snapshot.def.name;
  const { referenceTaskName = 'status' } = payload;
  const source = { workflowName, ref: textFrom(referenceTaskName) };
  const { createdBy: startedBy, trace } = actor.open.execution.attributes;
  const key = `${actor.id}:${message.id}`;
  const event = { sink, webhookId, source, startedBy, taskId, at, key, payload };
  return trace === undefined ? event : { ...event, trace: passedOn(trace, undefined) };
}

/** From whom to whom. */
function wayOf(actor: ExecutionActor, message: OutboxMessage): string {
  return `${actor.id}>${receiverOf(message)}`;
}

function receiverOf(message: OutboxMessage): string {
  switch (message.kind) {
    case 'start-child':
    case 'terminate-child':
    case 'command-child':
      return message.childId;
    case 'start-workflow':
      return message.startedId;
    case 'report-end':
    case 'reopen-parent':
      return message.parentId;
    case 'command-other':
      return message.targetId;
    case 'human-task-changed':
      return `human ${message.taskNumber}`;
    case 'take-place':
    case 'leave-place':
      return `room ${message.room}`;
    case 'publish-event':
      return message.webhookId ?? message.sink;
  }
}
