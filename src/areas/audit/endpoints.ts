// Endpoints of the audit log: read it with filters, export it, read what concerns one execution.
import { auditEntriesPerAnswerMax, type AuditFilter, type AuditLog } from './audit-log.js';
import { query, replies, type AccessRule, type Endpoint } from '../../api/endpoint.js';
import { integer, list, object, text, time } from '../../model/schema.js';
import { jsonText, type RouteRequest } from '../../api/route.js';

const administrator: AccessRule = { rule: 'administrator' };
const countDefault = 100;

const entrySchema = object(
  'AuditEntry',
  {
    id: text('Rises with time'),
    at: time(),
    caller: text('Subject id; empty for nobody'),
    callerKind: text('user, application or local'),
    action: text('Name of the operation'),
    objects: list(text('Id or name of what was touched')),
    status: integer('HTTP status of the answer'),
    address: text('Address of the client'),
    reason: text('In the words of the caller'),
    times: integer('How often it happened in the minute before; absent: once'),
  },
  ['id', 'at', 'caller', 'action', 'objects', 'status'],
);

const filters = {
  caller: query(text('Subject id')),
  action: query(text('Name of the operation')),
  object: query(text('Id or name of something that was touched')),
  from: query(time('Not earlier, epoch milliseconds')),
  until: query(time('Not later, epoch milliseconds')),
};
const page = {
  count: query(integer('Most entries', { default: countDefault })),
  before: query(text('Only entries older than the one with this id')),
};

export function auditRoutes(log: AuditLog): Endpoint[] {
  return [
    {
      method: 'GET',
      pattern: '/api/admin/audit',
      name: 'listAuditEntries',
      summary: 'Shows who changed what, newest first.',
      access: administrator,
      parameters: { ...filters, ...page },
      body: null,
      replies: replies(list(entrySchema)),
      errors: [],
      handle: async (request) =>
        jsonText(JSON.stringify(await log.find(filterOf(request), ...pageOf(request)))),
    },
    {
      method: 'GET',
      pattern: '/api/admin/audit/export',
      name: 'exportAuditEntries',
      summary: 'Shows all entries that fit, one JSON object a line, newest first.',
      access: administrator,
      parameters: filters,
      body: null,
      replies: { 200: { schema: text('Lines'), contentType: 'application/x-ndjson' } },
      errors: [],
      handle: async (request) => {
        const lines: string[] = [];
        for await (const entry of log.entries(filterOf(request))) lines.push(JSON.stringify(entry));
        const body = lines.map((line) => `${line}\n`).join('');
        return { status: 200, contentType: 'application/x-ndjson', body };
      },
    },
    {
      method: 'GET',
      pattern: '/api/workflow/:workflowId/audit',
      name: 'listWorkflowAuditEntries',
      summary: 'Shows who controlled an execution, newest first.',
      access: administrator,
      parameters: page,
      body: null,
      replies: replies(list(entrySchema)),
      errors: [],
      handle: async (request) => {
        const filter = { object: request.param('workflowId') };
        return jsonText(JSON.stringify(await log.find(filter, ...pageOf(request))));
      },
    },
  ];
}

function filterOf(request: RouteRequest): AuditFilter {
  return {
    caller: request.query('caller') || undefined,
    action: request.query('action') || undefined,
    object: request.query('object') || undefined,
    from: request.queryLong('from'),
    until: request.queryLong('until'),
  };
}

function pageOf(request: RouteRequest): [number, string | undefined] {
  const count = request.queryNumber('count');
  return [
    Math.min(Math.max(count, 1), auditEntriesPerAnswerMax),
    request.query('before') || undefined,
  ];
}
