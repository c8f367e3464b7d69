// Which requests stand in the audit log, and what an entry says. Every request that changes
// something is recorded once it is answered, with its status; refusals for lack of rights too.
// Frequent calls of workers and programs are recorded only when a person does it. Entries hold ids
// and names, never values.
import type { Caller } from '../model/caller.js';
import { AppError } from '../model/errors.js';
import type { AuditEntry } from '../model/audit-entry.js';
import { auditRuleOf, type Endpoint } from './endpoint.js';
import { statusOf } from './errors.js';
import type { ApiRequest, ApiResponse } from './http-server.js';
import type { RouteRequest } from './route.js';
import { plainId } from '../model/subject.js';

/** Takes what was done; resolves once it is durable. */
export interface Auditor {
  record(entry: Omit<AuditEntry, 'at'>): Promise<void>;
  /** As `record` for what may happen all the time: the same within a minute becomes one entry. */
  note(entry: Omit<AuditEntry, 'at'>): Promise<void>;
  /** Address of the client, behind trusted proxies too. */
  addressOf(request: ApiRequest): string;
}

const reasonCharsMax = 1000;
const objectCharsMax = 300;

export interface AuditedCall {
  readonly endpoint: Endpoint;
  readonly request: RouteRequest;
  /** Address of the client. */
  readonly address: string;
}

/** Whether requests of this caller to the endpoint are recorded at all. */
export function isRecorded(endpoint: Endpoint, caller: Caller): boolean {
  switch (auditRuleOf(endpoint)) {
    case 'changes':
    case 'secret-reads':
      return true;
    case 'persons':
      return caller.kind === 'user';
    case 'routine':
    case 'handler':
    case 'reads':
      return false;
  }
}

/**
 * Runs the handler and records what came of it before the answer leaves. Rejects as the handler
 * does.
 */
export async function recorded(
  auditor: Auditor,
  call: AuditedCall,
  run: () => ApiResponse | Promise<ApiResponse>,
): Promise<ApiResponse> {
  const enter = auditRuleOf(call.endpoint) === 'secret-reads' ? auditor.note : auditor.record;
  try {
    const answer = await run();
    if (answer.status < 400) await enter(entryOf(call, answer.status));
    return answer;
  } catch (error) {
    const status = error instanceof AppError ? statusOf(error) : 500;
    if (refusals.includes(status)) await enter(entryOf(call, status));
    throw error;
  }
}

/** Refusals for lack of rights, or of patience with the caller. */
const refusals: readonly number[] = [401, 403, 429];

function entryOf(
  { endpoint, request, address }: AuditedCall,
  status: number,
): Omit<AuditEntry, 'at'> {
  const { caller, objects } = request;
  const reason = endpoint.parameters['reason'] === undefined ? '' : request.query('reason');
  return {
    caller: plainId(caller.id),
    callerKind: caller.kind,
    action: endpoint.name,
    objects: [...variablesOf(endpoint, request), ...objects].map((id) =>
      id.slice(0, objectCharsMax),
    ),
    status,
    address,
    ...(reason === undefined || reason === '' ? {} : { reason: reason.slice(0, reasonCharsMax) }),
  };
}

function variablesOf(endpoint: Endpoint, request: RouteRequest): string[] {
  return endpoint.pattern
    .split('/')
    .filter((segment) => segment.startsWith(':'))
    .map((segment) => request.param(segment.slice(1)));
}
