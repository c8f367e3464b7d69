// Gives a message to handlers and keeps what they could not deal with: a message that a handler
// refused becomes one of its dead letters before it is acknowledged, unless the handler may not
// receive it. A dead letter that is delivered again carries out what failed, in the trace of what
// published the message, and goes when nothing fails any more.
import { AppError } from '../../../model/errors.js';
import type { DeadLetter } from '../dead-letter.js';
import type { EventHandler } from '../event-handler.js';
import type { EventExecution } from '../event-record.js';
import type { DeadLetterStore } from '../store/dead-letter-store.js';
import type { EventMessage } from '../store/event-queue-store.js';
import { readContext } from '../../../telemetry/trace-context.js';
import { handleMessage, refusalToListen, type MessageParts } from './handle-message.js';

export interface DeliveryParts extends MessageParts {
  readonly deadLetters: DeadLetterStore;
}

const reasonCharsMax = 2000;
/** Dead letters that one call delivers again. */
export const redeliveredMax = 100;

/** As `handleMessage`; resolves once what failed is among the dead letters too. */
export async function deliverMessage(
  parts: DeliveryParts,
  handlers: readonly EventHandler[],
  event: string,
  message: EventMessage,
): Promise<void> {
  const executions = await handleMessage(parts, handlers, event, message);
  for (const handler of handlers) {
    const reason = failureOf(executions, handler.name);
    // A handler that may not receive the message does not find it among the dead letters either.
    if (reason === undefined || refusalToListen(parts, handler, event) !== undefined) continue;
    await giveUp(parts, handler, message, reason);
  }
}

/** Makes the message a dead letter of the handler. */
export async function giveUp(
  { deadLetters, clock }: Pick<DeliveryParts, 'deadLetters' | 'clock'>,
  { name, event }: EventHandler,
  { id, attemptKey, payload, publishedAt, trace }: EventMessage,
  reason: string,
): Promise<void> {
  await deadLetters.add({
    ...{ id: attemptKey, handler: name, event, messageId: id, payload, publishedAt },
    failedAt: clock.now(),
    reason: reason.slice(0, reasonCharsMax),
    ...trace,
  });
}

export interface Redelivery {
  /** Ids of letters that are dealt with now. */
  readonly done: string[];
  /** Ids of letters that failed again, with the reason. */
  readonly failed: { readonly id: string; readonly reason: string }[];
}

/**
 * Delivers dead letters of a handler again; without `ids` the newest. Throws AppError 'bad-request'
 * for too many ids. Rejects as `handleMessage` does.
 */
export async function redeliver(
  parts: DeliveryParts,
  handler: EventHandler,
  ids: readonly string[] | undefined,
): Promise<Redelivery> {
  if (ids !== undefined && ids.length > redeliveredMax) {
    throw new AppError('bad-request', `ids may have ${redeliveredMax} entries at most`);
  }
  const { deadLetters } = parts;
  const letters =
    ids === undefined
      ? await deadLetters.list(handler.name, redeliveredMax)
      : await deadLetters.find(handler.name, ids);
  const done: string[] = [];
  const failed: { id: string; reason: string }[] = [];
  for (const letter of letters) {
    const reason = await deliverAgain(parts, handler, letter);
    if (reason === undefined) done.push(letter.id);
    else failed.push({ id: letter.id, reason });
  }
  await deadLetters.remove(handler.name, done);
  return { done, failed };
}

/** Why it failed again. */
async function deliverAgain(
  parts: DeliveryParts,
  handler: EventHandler,
  letter: DeadLetter,
): Promise<string | undefined> {
  const { id: attemptKey, messageId: id, event, payload, publishedAt } = letter;
  const trace = readContext(letter.traceparent ?? '', letter.tracestate ?? '');
  const message: EventMessage = { id, attemptKey, payload, publishedAt, trace };
  const options = { failedAgain: true };
  const executions = await handleMessage(parts, [handler], event, message, options);
  const reason = failureOf(executions, handler.name);
  if (reason !== undefined) await giveUp(parts, handler, message, reason);
  return reason;
}

function failureOf(executions: readonly EventExecution[], handler: string): string | undefined {
  const failed = executions.find(({ name, status }) => name === handler && status === 'FAILED');
  if (failed === undefined) return undefined;
  return `${failed.action ?? 'condition'}: ${failed.statusDescription ?? 'failed'}`;
}
