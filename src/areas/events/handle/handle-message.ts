// Gives one message to the active handlers of its event (semantics 6.2). Each handler judges its
// condition and carries out its actions, all at the same time; every action leaves a record, and
// one that has its record is not carried out again. A condition that fails is the handler's
// mistake: it is recorded, and the message does not come again for it.
import { anonymous, type Caller } from '../../../model/caller.js';
import { AppError } from '../../../model/errors.js';
import { ownerOfHandler, type EventAction, type EventHandler } from '../event-handler.js';
import type { EventExecution } from '../event-record.js';
import type { Json, JsonMap } from '../../../model/json.js';
import { toJsonText } from '../../../model/json-text.js';
import type { Clock } from '../../../std/clock.js';
import type { EventMessage } from '../store/event-queue-store.js';
import type { EventRecordStore } from '../store/event-record-store.js';
import type { OperationContext } from '../../../operation/context.js';
import { lastingRefusal } from '../../../operation/refusals.js';
import { lackedToListen, type ListenParts } from '../listen-right.js';
import {
  contentOf,
  fieldsOf,
  judgeCondition,
  messageFor,
  type JudgeParts,
} from './judge-message.js';
import { runAction } from './run-action.js';
import { plainId } from '../../../model/subject.js';

export interface MessageParts extends JudgeParts {
  readonly operations: OperationContext;
  readonly records: EventRecordStore;
  readonly clock: Clock;
  readonly integrationOf: ListenParts['integrationOf'];
  /** On whose behalf a handler acts; undefined: its owner of record is gone. */
  readonly callerOf: (handler: EventHandler) => Caller | undefined;
}

/** Longer messages and parameters are not kept whole in records, characters. */
const keptCharsMax = 65_536;
const reasonCharsMax = 2000;

export interface MessageOptions {
  /** Carry out again what has failed before; what succeeded stays as it is. */
  readonly failedAgain: boolean;
}

/**
 * Resolves with the records once every handler is through and everything is recorded. Rejects when
 * something may work later; what was done by then stays done.
 */
export async function handleMessage(
  parts: MessageParts,
  handlers: readonly EventHandler[],
  event: string,
  message: EventMessage,
  { failedAgain }: MessageOptions = { failedAgain: false },
): Promise<EventExecution[]> {
  const content = contentOf(message.payload, parts.operations.limits.values.valueDepthMax);
  const results = await Promise.allSettled(
    handlers.map((handler) => handle({ parts, handler, event, message, content, failedAgain })),
  );
  const executions: EventExecution[] = [];
  for (const result of results) {
    if (result.status === 'rejected') throw result.reason;
    executions.push(...result.value);
  }
  await parts.records.keepMessage(message.attemptKey, {
    id: message.id,
    eventTarget: event,
    eventType: 'MESSAGE',
    status: handlers.length > 0 ? 'HANDLED' : 'REJECTED',
    ...(handlers.length > 0 ? {} : { statusDescription: 'No active event handler' }),
    createdAt: message.publishedAt,
    payload: message.payload.slice(0, keptCharsMax),
    eventExecutions: executions,
  });
  return executions;
}

interface Handling {
  readonly parts: MessageParts;
  readonly handler: EventHandler;
  /** Under which the message came: the handler's, or of a dead letter an earlier one. */
  readonly event: string;
  readonly message: EventMessage;
  readonly content: Json;
  readonly failedAgain: boolean;
}

async function handle(handling: Handling): Promise<EventExecution[]> {
  const { parts, handler, message } = handling;
  const keys = handler.actions.map((_action, index) => keyOf(message, index));
  const [first = keyOf(message, 0)] = keys;
  const found = await parts.records.find(handler.name, keys.length > 0 ? keys : [first]);
  const known = found.map((record) => (isFinal(handling, record) ? record : undefined));
  const [judged] = known;
  if (judged !== undefined && judged.action === undefined) return [judged];
  if (judged === undefined) {
    const refused = await judge(handling);
    if (refused !== undefined) {
      await parts.records.keep(handler.name, [{ key: first, execution: refused }]);
      return [refused];
    }
  }
  return await Promise.all(
    handler.actions.map((action, index) => actOnce(handling, action, index, known[index])),
  );
}

/**
 * Whether a record says that there is nothing left to do. One of an action under way stays known.
 */
function isFinal({ failedAgain }: Handling, record: EventExecution | undefined): boolean {
  return !(failedAgain && record?.status === 'FAILED');
}

export type ListenerParts = Pick<MessageParts, 'operations' | 'callerOf' | 'integrationOf'>;

/**
 * Why the handler may not receive events of this name: its owner of record is gone or lost the
 * right; undefined: it may.
 */
export function refusalToListen(
  { operations, callerOf, integrationOf }: ListenerParts,
  handler: EventHandler,
  event: string,
): string | undefined {
  const caller = callerOf(handler);
  // An owner who is gone has no rights left; actions of other events say so themselves.
  const listener = caller ?? { ...anonymous, id: ownerOfHandler(handler) };
  const { access, definitions } = operations;
  return lackedToListen({ access, definitions, integrationOf }, listener, event);
}

/**
 * The record of a handler that may not listen, or whose condition does not hold or fails; undefined
 * when its actions are to be carried out.
 */
async function judge(handling: Handling): Promise<EventExecution | undefined> {
  const { parts, handler, content } = handling;
  const lacked = refusalToListen(parts, handler, handling.event);
  if (lacked !== undefined) {
    const record = recordOf(handling, 0);
    return {
      ...record,
      status: 'FAILED',
      statusDescription: lacked,
      output: { exception: lacked },
    };
  }
  const judgement = await judgeCondition(parts, handler, content);
  if (judgement.kind === 'holds') return undefined;
  const { condition = '' } = handler;
  const record = recordOf(handling, 0);
  if (judgement.kind === 'failed') {
    const output = { exception: judgement.reason, condition };
    return { ...record, status: 'FAILED', statusDescription: judgement.reason, output };
  }
  return { ...record, status: 'SKIPPED', output: { msg: keptOf(content), condition } };
}

async function actOnce(
  handling: Handling,
  action: EventAction,
  index: number,
  known: EventExecution | undefined,
): Promise<EventExecution> {
  if (known !== undefined && known.status !== 'IN_PROGRESS') return known;
  const { parts, handler, message } = handling;
  const key = keyOf(message, index);
  const base = { ...recordOf(handling, index), action: action.action };
  const execution = await act(handling, action, { index, base, begun: known?.output });
  await parts.records.keep(handler.name, [{ key, execution }]);
  return execution;
}

async function act(
  { parts, handler, message, content }: Handling,
  action: EventAction,
  { index, base, begun }: { index: number; base: Started; begun: JsonMap | undefined },
): Promise<EventExecution> {
  let payload: JsonMap = action.parameters;
  try {
    const caller = parts.callerOf(handler);
    if (caller === undefined) {
      throw new AppError(
        'forbidden',
        `The owner of the handler is gone: ${plainId(ownerOfHandler(handler))}`,
      );
    }
    const seen = messageFor(action, content);
    const { resolved, fields } = fieldsOf(parts, action, seen);
    payload = resolved;
    const output = await runAction(action.action, {
      ...{ operations: parts.operations, caller, handler, index, begun, message: seen, fields },
      messageId: message.id,
      messageKey: message.attemptKey,
      trace: message.trace,
      begin: async (kept) => {
        const execution = { ...base, status: 'IN_PROGRESS' as const, output: kept };
        await parts.records.keep(handler.name, [{ key: keyOf(message, index), execution }]);
      },
    });
    return { ...base, status: 'COMPLETED', output, payload: keptOf(payload) };
  } catch (error) {
    const statusDescription = lastingRefusal(error).message.slice(0, reasonCharsMax);
    const output = { exception: statusDescription };
    return { ...base, status: 'FAILED', statusDescription, output, payload: keptOf(payload) };
  }
}

type Started = Omit<EventExecution, 'status' | 'output'>;

function recordOf({ parts, handler, message }: Handling, index: number): Started {
  return {
    id: `${message.id}_${index}`,
    messageId: message.id,
    name: handler.name,
    event: handler.event,
    created: parts.clock.now(),
  };
}

function keyOf({ attemptKey }: EventMessage, index: number): string {
  return `${attemptKey}_${index}`;
}

/** A value as records keep it: nothing in place of what is long. */
function keptOf<T extends Json>(value: T): T | JsonMap {
  return toJsonText<Json>(value).length <= keptCharsMax ? value : {};
}
