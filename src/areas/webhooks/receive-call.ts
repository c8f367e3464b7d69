// An incoming call of a webhook (contract-admin 12.3): verified on its raw bytes, stored durably,
// then answered. Its starts and wake-ups happen afterwards (dispatch-event.ts).
//
// The platform learns nothing but whether its call was taken: an unknown address answers as a known
// one does, and a refusal does not say what was wrong. The reason stands in the log and in the
// history of the webhook.
import type { RequestRates } from '../../std/request-rates.js';
import { AppError } from '../../model/errors.js';
import { isDeeperThan } from '../../model/json-depth.js';
import { maskedSecret } from '../../model/kept-secrets.js';
import type { ValueLimits } from '../../model/value-limits.js';
import { verifiers } from './verifiers/list.js';
import { signedTimeToleranceMs, type IncomingCall, type Verdict } from './verifiers/contract.js';
import { type VerifierConfig, type Webhook, type WebhookEvent } from './webhook.js';
import type { WebhookEventStore } from './event-store.js';
import { historyEntryOf } from './history-entry.js';
import type { SummedLog } from '../../telemetry/summed-log.js';
import type { Webhooks } from './webhooks.js';

export type CallAnswer =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'challenge'; readonly answer: string; readonly contentType: string };

export type CallOutcome = 'taken' | 'challenge' | 'refused' | 'too_many' | 'unknown';

export interface ReceiveParts {
  readonly webhooks: Webhooks;
  readonly events: WebhookEventStore;
  readonly randomId: () => string;
  /** Verified calls per webhook. */
  readonly rates: RequestRates;
  /** Refused calls per webhook and address: beyond it none is looked at. */
  readonly refusals: RequestRates;
  /** Refused calls per webhook that stand in its history. */
  readonly refusalsShown: RequestRates;
  readonly unknown: SummedLog;
  readonly refused: SummedLog;
  readonly monotonic: () => number;
  /** Events that wait to be dealt with on this node. */
  readonly waiting: () => number;
  readonly waitingMax: number;
  readonly values: Pick<ValueLimits, 'valueDepthMax'>;
  /** Gets an event once it is durable. */
  readonly dispatch: (event: WebhookEvent) => void;
  readonly count: (outcome: CallOutcome) => void;
}

export interface CallFrom {
  readonly id: string;
  /** Of the client. */
  readonly address: string;
}

const accepted: CallAnswer = { kind: 'accepted' };

/**
 * Resolves once the call is durable. Throws AppError 'unauthenticated' when it is not verified,
 * 'bad-request' when its body is nested too deeply, 'too-many' for a flood.
 */
export async function receiveCall(
  parts: ReceiveParts,
  { id, address }: CallFrom,
  call: IncomingCall,
): Promise<CallAnswer> {
  const webhook = parts.webhooks.find(id);
  if (webhook === undefined) {
    parts.count('unknown');
    parts.unknown.warn({ webhook: id.slice(0, 100) });
    return accepted;
  }
  const refusalsOf = `${id} ${address}`;
  const waitMs = parts.refusals.waitMs(refusalsOf, parts.monotonic());
  if (waitMs !== undefined) throw tooMany(parts, waitMs);
  const config = await parts.webhooks.verifierOf(webhook);
  const verdict = verdictOf(config, call);
  if (verdict.kind === 'refused') {
    parts.refusals.take(refusalsOf, parts.monotonic());
    const event = (): WebhookEvent => eventOf(parts, config, { webhook, call });
    return await refuse(parts, event, { id, why: verdict.why });
  }
  requireShape(parts, call);
  admit(parts, webhook);
  const event = eventOf(parts, config, { webhook, call });
  if (!webhook.urlVerified) await parts.webhooks.urlVerified(id);
  if (verdict.kind === 'challenge') {
    parts.count('challenge');
    return verdict;
  }
  const { signature } = verdict;
  const once = signature === undefined ? undefined : { signature, lifeMs: signedTimeToleranceMs };
  if ((await parts.events.add(event, once)) === 'repeated') {
    return await refuse(parts, () => event, { id, why: 'the signature was used before' });
  }
  parts.count('taken');
  parts.dispatch(event);
  return accepted;
}

function admit(parts: ReceiveParts, { id }: Webhook): void {
  const { rates, monotonic, waiting, waitingMax, count } = parts;
  const waitMs = rates.take(id, monotonic());
  if (waitMs !== undefined) throw tooMany(parts, waitMs);
  if (waiting() >= waitingMax) {
    count('too_many');
    throw new AppError('too-many', 'Too many calls of webhooks wait at this server');
  }
}

function tooMany(parts: ReceiveParts, waitMs: number): AppError {
  parts.count('too_many');
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
  return new AppError('too-many', 'Too many calls of this webhook', { retryAfterSeconds });
}

/** A call that could never become an input is refused at once, and nothing of it is kept. */
function requireShape({ values }: ReceiveParts, { body }: IncomingCall): void {
  const { valueDepthMax } = values;
  if (body.length <= 2 * valueDepthMax || !isDeeperThan(body.toString('latin1'), valueDepthMax)) {
    return;
  }
  const message = `The body is nested deeper than ${valueDepthMax} levels (valueDepthMax)`;
  throw new AppError('bad-request', message);
}

function verdictOf(config: VerifierConfig, call: IncomingCall): Verdict {
  const body = call.body.length === 0 ? Buffer.from('{}') : call.body;
  return verifiers[config.verifier].verify(config, { ...call, body });
}

async function refuse(
  parts: ReceiveParts,
  event: () => WebhookEvent,
  { id, why }: { readonly id: string; readonly why: string },
): Promise<never> {
  parts.count('refused');
  parts.refused.warn({ webhook: id, why });
  if (parts.refusalsShown.take(id, parts.monotonic()) === undefined) {
    const shown = event();
    await parts.events.finish(shown, historyEntryOf(shown, { workflowIds: [], reasons: [] }));
  }
  throw new AppError('unauthenticated', 'The call could not be verified', {
    tokenError: 'UNAUTHORIZED',
  });
}

/** The proof in the call is not kept. */
function eventOf(
  { randomId }: ReceiveParts,
  { headers = {} }: VerifierConfig,
  { webhook, call }: { webhook: Webhook; call: IncomingCall },
): WebhookEvent {
  const [contentType = ''] = call.headers.get('content-type') ?? [];
  const proofs = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const shown = [...call.headers].map(
    ([name, values]) => [name, proofs.has(name) ? [maskedSecret] : values] as const,
  );
  return {
    id: randomId(),
    webhookId: webhook.id,
    receivedAt: call.receivedAt,
    headers: Object.fromEntries(shown),
    requestParams: Object.fromEntries(call.query),
    body: call.body.toString('utf8'),
    contentType,
  };
}
