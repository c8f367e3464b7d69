// The topics of a stream of changes.
import { AppError, noSuchWorkflow } from '../../model/errors.js';
import { parseWindowMs } from '../../model/time-window.js';
import { parseExecutionId } from '../../std/ids.js';

export type Topic =
  /** Executions that start or change their status. */
  | { readonly kind: 'executions'; readonly name: string }
  /** Everything that changes in one execution. */
  | { readonly kind: 'execution'; readonly name: string; readonly id: string }
  /** Human tasks that the caller may do. */
  | { readonly kind: 'inbox'; readonly name: string }
  /** How far a bulk job is, as `GET /api/bulk-jobs/{jobId}` shows it. */
  | { readonly kind: 'job'; readonly name: string; readonly id: string }
  /** The contents of the queues, as `GET /api/stats/queues` shows them. */
  | { readonly kind: 'queues'; readonly name: string }
  /** As `GET /api/stats/overview` shows it. */
  | { readonly kind: 'overview'; readonly name: string; readonly windowMs: number };

export const executionsTopic = 'executions';
export const inboxTopic = 'inbox';

export function executionTopic(id: string): string {
  return `execution:${id}`;
}

/** Topics of one stream. */
const topicsMax = 50;
const overviewWindow = '1h';

/** Throws AppError 'bad-request' for what is no topic, 'not-found' for what is no execution id. */
export function parseTopics(names: readonly string[]): Topic[] {
  const different = [...new Set(names)];
  if (different.length === 0) throw new AppError('bad-request', 'topics names no topic');
  if (different.length > topicsMax) {
    throw new AppError('bad-request', `topics names more than ${topicsMax} topics`);
  }
  return different.map(parseTopic);
}

function parseTopic(name: string): Topic {
  const colon = name.indexOf(':');
  const kind = colon < 0 ? name : name.slice(0, colon);
  const argument = colon < 0 ? undefined : name.slice(colon + 1);
  switch (kind) {
    case 'executions':
    case 'inbox':
    case 'queues':
      if (argument === undefined) return { kind, name };
      break;
    case 'execution':
      if (argument === undefined || argument === '') break;
      if (parseExecutionId(argument) === undefined) throw noSuchWorkflow(argument);
      return { kind, name, id: argument };
    case 'job':
      if (argument === undefined || argument === '') break;
      return { kind, name, id: argument };
    case 'overview': {
      const windowMs = parseWindowMs(argument ?? overviewWindow);
      if (windowMs !== undefined) return { kind, name, windowMs };
      break;
    }
  }
  throw new AppError(
    'bad-request',
    `topics: '${name.slice(0, 60)}' is not executions, execution:{workflowId}, job:{jobId}, queues, ` +
      'inbox, overview or overview:{window} with a window such as 30m, 1h or 7d',
  );
}
