// A start that a record keeps for later, as schedules and event handlers do: the request is parsed
// once to check it, and most of its fields are kept as they were sent, because each start parses
// them again.
import type { Json, JsonMap } from './json.js';
import { parseStartWorkflowRequest, type StartWorkflowRequest } from './parse-start-request.js';
import { checkStoredStart } from './validate-start-request.js';

const fieldsAsSent = [
  'correlationId',
  'workflowDef',
  'externalInputPayloadStoragePath',
  'createdBy',
  'idempotencyKey',
  'idempotencyStrategy',
];

export interface KeptStart {
  readonly request: StartWorkflowRequest;
  /** The fields that are kept as they were sent; those that were absent or null are left out. */
  readonly asSent: { readonly [name: string]: Json };
}

/** Throws AppError. A start refuses an input of null; here it counts as none. */
export function parseKeptStart(sent: JsonMap, path: string): KeptStart {
  const whole = sent['input'] === null ? { ...sent, input: {} } : sent;
  const request = parseStartWorkflowRequest(whole, path);
  checkStoredStart(request, path);
  const asSent: { [name: string]: Json } = {};
  for (const name of fieldsAsSent) {
    const value = sent[name] ?? null;
    if (value !== null) asSent[name] = value;
  }
  return { request, asSent };
}
