// Dispatches an event of a webhook (contract-admin 12.5, 12.6): it completes the tasks that wait
// for it and starts workflows. An event may be dealt with twice, when the server dies meanwhile: a
// task is completed once, and an execution's id is made from event and workflow.
import { createHash } from 'node:crypto';
import type { ScriptRequest, ScriptResult } from '../../engine/script.js';
import type { Caller } from '../../model/caller.js';
import { ownerIdOf } from '../../model/owner-of-record.js';
import { asJson, type Json, type JsonMap } from '../../model/json.js';
import { textFrom } from '../../model/json-text.js';
import { evaluatePath, rootOf } from '@downbeat/json-path';
import { parseMatchPath } from '../../model/match-path.js';
import { payloadOf } from './payload.js';
import { webhookWorkflowsMax, type Webhook, type WebhookEvent } from './webhook.js';
import { executionIdOf } from '../../std/ids.js';
import type { WebhookWaitStore } from './wait-store.js';
import type { OperationContext } from '../../operation/context.js';
import { lastingRefusal } from '../../operation/refusals.js';
import { startWorkflow } from '../../operation/start-workflow.js';
import { causedBy } from '../../telemetry/trace.js';
import { readContext, type TraceContext } from '../../telemetry/trace-context.js';
import { resumeWaiting } from './resume-waiting.js';
import { broughtSecret } from '../../operation/brought-secrets.js';
import { plainId } from '../../model/subject.js';

export interface DispatchParts {
  readonly operations: OperationContext;
  readonly waits: WebhookWaitStore;
  /** Whose rights an event has, by the owner of record; undefined: does not exist any more. */
  readonly ownerOf: (ownerId: string) => Caller | undefined;
  readonly evaluate: (request: ScriptRequest) => Promise<ScriptResult>;
  readonly log: { warn(fields: object, message: string): void };
}

interface Targets {
  readonly receivers: JsonMap;
  readonly toStart: JsonMap;
}

/** The effects of an event. */
export interface Dispatched {
  /** Executions that were woken or started. */
  readonly workflowIds: readonly string[];
  /** Why something was not woken or started; its history shows them. */
  readonly reasons: readonly string[];
}

/** Notes a reason for the history of the webhook, and in the log. */
type Refuse = (reason: string, fields?: object) => void;

/** Rejects when it may work later. */
export async function dispatchEvent(
  parts: DispatchParts,
  webhook: Webhook,
  event: WebhookEvent,
): Promise<Dispatched> {
  const reasons: string[] = [];
  const refuse: Refuse = (reason, fields = {}) => {
    reasons.push(reason);
    parts.log.warn({ webhook: webhook.id, why: reason, ...fields }, 'a webhook did not act');
  };
  const ownerId = ownerIdOf(webhook);
  const caller = parts.ownerOf(ownerId);
  if (caller === undefined) {
    refuse(`The owner of the webhook is gone: ${plainId(ownerId)}`);
    return { workflowIds: [], reasons };
  }
  const payload = payloadOf(event);
  const { receivers, toStart } = await targetsOf(parts, webhook, { event, payload, refuse });
  const workflowIds = new Set<string>();
  for (const [workflowName, version] of Object.entries(receivers).slice(0, webhookWorkflowsMax)) {
    const workflowVersion = versionOf(version);
    if (workflowVersion === undefined) {
      refuse(`receiverWorkflowNamesToVersions.${workflowName} names no version`);
      continue;
    }
    if (!mayWake(parts, caller, { workflowName, refuse })) continue;
    const receiver = { workflowName, workflowVersion };
    const waking = { ...parts, caller };
    const woken = await causedBy(traceOf(event), () => resumeWaiting(waking, receiver, payload));
    for (const id of woken) workflowIds.add(id);
  }
  const { idempotencyKey, idempotencyStrategy, ...starts } = toStart;
  const key = keyOf(idempotencyKey, payload);
  for (const [name, version] of Object.entries(starts).slice(0, webhookWorkflowsMax)) {
    const cause = { caller, webhook, event, payload, name, version, refuse };
    const id = await start(parts, cause, { key, strategy: idempotencyStrategy });
    if (id !== undefined) workflowIds.add(id);
  }
  return { workflowIds: [...workflowIds], reasons };
}

/** The maps of the webhook, or those that its expression gives. */
async function targetsOf(
  { evaluate }: DispatchParts,
  webhook: Webhook,
  { event, payload, refuse }: { event: WebhookEvent; payload: JsonMap; refuse: Refuse },
): Promise<Targets> {
  const own = {
    receivers: webhook.receiverWorkflowNamesToVersions ?? {},
    toStart: webhook.workflowsToStart ?? {},
  };
  if (webhook.expression === undefined) return own;
  const { sealed: _sealed, createdAt: _createdAt, ...open } = webhook;
  const { headers, requestParams } = event;
  const input = asJson({ ...open, headers, requestParams, body: payload });
  const result = await evaluate({
    language: 'javascript',
    source: webhook.expression,
    input: () => input,
  });
  if (result.kind !== 'value') {
    refuse(`The expression failed: ${result.message}`);
    return { receivers: {}, toStart: {} };
  }
  const given = mapOf(result.value);
  return {
    receivers: mapOf(given['receiverWorkflowNamesToVersions']),
    toStart: mapOf(given['workflowsToStart']),
  };
}

/** To complete a task from outside takes the right that a start takes. */
function mayWake(
  { operations }: DispatchParts,
  caller: Caller,
  { workflowName, refuse }: { workflowName: string; refuse: Refuse },
): boolean {
  const target = { type: 'WORKFLOW_DEF', id: workflowName } as const;
  if (operations.access.may(caller, 'EXECUTE', target)) return true;
  refuse(`${plainId(caller.id)} has no EXECUTE access on WORKFLOW_DEF ${workflowName}`);
  return false;
}

interface StartCause {
  readonly caller: Caller;
  readonly webhook: Webhook;
  readonly event: WebhookEvent;
  readonly payload: JsonMap;
  readonly name: string;
  readonly version: Json;
  readonly refuse: Refuse;
}

/** The id of what runs now; undefined when nothing was started. */
async function start(
  { operations }: DispatchParts,
  { caller, webhook, event, payload, name, version, refuse }: StartCause,
  { key, strategy }: { key: string | undefined; strategy: Json | undefined },
): Promise<string | undefined> {
  const number = versionOf(version);
  if (number === undefined) {
    refuse(`workflowsToStart.${name} names no version`);
    return undefined;
  }
  const secret = broughtSecret(payload, {});
  if (secret !== undefined) {
    refuse(`The payload names the secret ${secret}, which only the definition of a task may`);
    return undefined;
  }
  const request = {
    name,
    ...(number === 0 ? {} : { version: number }),
    input: payload,
    taskToDomain: {},
    priority: 0,
    ...(key === undefined
      ? {}
      : { idempotencyKey: key, idempotencyStrategy: strategyOf(strategy) }),
  };
  const eventName = `${webhook.name}:${event.id}`;
  try {
    const cause = {
      id: executionIdFor(event, name),
      event: eventName,
      origin: { name: `webhook ${webhook.name}`, kind: 'consumer', trace: traceOf(event) } as const,
    };
    return await startWorkflow(operations, caller, request, cause);
  } catch (error) {
    refuse(lastingRefusal(error).message, { workflow: name });
    return undefined;
  }
}

/** The platform's call may have brought a trace, which its stored headers keep. */
function traceOf({ headers }: WebhookEvent): TraceContext | undefined {
  const header = (field: string): string => textFrom(headers[field]?.[0] ?? '');
  return readContext(header('traceparent'), header('tracestate'));
}

function executionIdFor(event: WebhookEvent, name: string): ReturnType<typeof executionIdOf> {
  const digest = createHash('sha256')
    .update(JSON.stringify(['webhook', event.webhookId, event.id, name]))
    .digest();
  return executionIdOf(digest.readUInt16BE(0), digest.subarray(2));
}

function versionOf(version: Json): number | undefined {
  if (typeof version !== 'number' && typeof version !== 'string') return undefined;
  if (typeof version === 'string' && version.trim() === '') return undefined;
  const number = Number(version);
  return Number.isInteger(number) ? number : undefined;
}

const inputExpression = /\$\{workflow\.input\.([^}]{1,500})\}/g;
const keyCharsMax = 1000;

/** The key with its expressions resolved; undefined without one, or when one leads nowhere. */
function keyOf(key: Json | undefined, payload: JsonMap): string | undefined {
  if (typeof key !== 'string' || key === '') return undefined;
  let isResolved = true;
  const text = key.replaceAll(inputExpression, (_all, path: string) => {
    const parsed = parseMatchPath(path);
    const value = parsed === undefined ? null : evaluatePath(parsed, rootOf(payload));
    if (value === null) isResolved = false;
    return textFrom(value);
  });
  return isResolved ? text.slice(0, keyCharsMax) : undefined;
}

function strategyOf(strategy: Json | undefined): 'FAIL' | 'RETURN_EXISTING' | 'FAIL_ON_RUNNING' {
  return strategy === 'RETURN_EXISTING' || strategy === 'FAIL_ON_RUNNING' ? strategy : 'FAIL';
}

function mapOf(value: Json | undefined): JsonMap {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? value : {};
}
