// Which requests stand in the audit log, and what an entry says. Every request that changes
// something is recorded once it is answered, with its status; refusals for lack of rights too. What
// workers and programs do all the time is recorded only when a person does it. Entries hold ids and
// names, never values.
import type { Caller } from '../model/caller.js';
import { AppError } from '../model/errors.js';
import type { AuditEntry } from '../store/audit-store.js';
import type { Endpoint } from './endpoint.js';
import { statusOf } from './errors.js';
import type { ApiResponse } from './http-server.js';
import type { RouteRequest } from './route.js';

/** Takes an entry; resolves once it is durable. */
export type Auditor = (entry: Omit<AuditEntry, 'at'>) => Promise<void>;

/** Routine of workers and programs. */
const personsOnly: ReadonlySet<string> = new Set([
  'acknowledgeTask',
  'addTaskLog',
  'executeWorkflow',
  'pushMessage',
  'startWorkflow',
  'startWorkflowByName',
  'startWorkflowVersion',
  'updateTask',
  'updateTaskAndPoll',
  'updateTaskByRef',
  'updateTaskByRefSync',
  'updateWorkflowState',
]);

/** They change nothing; a failed sign-in is recorded all the same. */
const readers: ReadonlySet<string> = new Set([
  'createToken',
  'getWorkflows',
  'listAllSecrets',
  'mapCorrelatedWorkflows',
  'mapCorrelatedWorkflowsOfNames',
  'testWorkflow',
  'validateWorkflowDef',
]);

/** The entry of an answered request; undefined when it is not recorded. */
export function auditEntryOf(
  endpoint: Endpoint,
  request: RouteRequest,
  outcome: { readonly answer: ApiResponse } | { readonly error: unknown },
): Omit<AuditEntry, 'at'> | undefined {
  const status = 'answer' in outcome ? outcome.answer.status : statusOfError(outcome.error);
  if (!isRecorded(endpoint, request.caller, status)) return undefined;
  const { caller } = request;
  const reason = endpoint.parameters['reason'] === undefined ? undefined : request.query('reason');
  return {
    caller: caller.id,
    callerKind: caller.kind,
    action: endpoint.name,
    objects: [...variablesOf(endpoint, request), ...request.objects],
    status,
    address: request.remoteAddress,
    ...(reason === undefined || reason === '' ? {} : { reason: reason.slice(0, reasonCharsMax) }),
  };
}

const reasonCharsMax = 1000;
const objectCharsMax = 300;

function isRecorded({ method, name }: Endpoint, caller: Caller, status: number): boolean {
  const isRefused = status === 401 || status === 403 || status === 429;
  if (status >= 400 && !isRefused) return false;
  if (name === 'createToken' || name === 'signIn') return isRefused || name === 'signIn';
  if (method === 'GET' || readers.has(name)) return false;
  return caller.kind === 'user' || !personsOnly.has(name);
}

function variablesOf(endpoint: Endpoint, request: RouteRequest): string[] {
  return endpoint.pattern
    .split('/')
    .filter((segment) => segment.startsWith(':'))
    .map((segment) => request.param(segment.slice(1)).slice(0, objectCharsMax));
}

/** 0: a failure that is no refusal. */
function statusOfError(error: unknown): number {
  return error instanceof AppError ? statusOf(error) : 500;
}
