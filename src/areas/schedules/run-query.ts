// The query of a search over scheduled runs (contract-core 19.3): clauses joined by AND. A text
// that is no clause is taken as the name of a schedule.
import { AppError } from '../../model/errors.js';

export interface RunQuery {
  /** Empty: any. */
  readonly scheduleNames: readonly string[];
  /** Empty: any. */
  readonly executionIds: readonly string[];
  /** Empty: any. */
  readonly states: readonly string[];
  /** Contained; empty: any. */
  readonly workflowNames: readonly string[];
  /** Epoch ms, both exclusive. */
  readonly scheduledAfter?: number;
  readonly scheduledBefore?: number;
}

const queryCharsMax = 20_000;
const clausePattern =
  /^(scheduleName|state|workflowName|executionId|scheduledTime)\s*(=|IN|>=|<=|>|<)\s*(.*)$/is;

/** Throws AppError 'bad-request' for a clause that cannot be read. */
export function parseRunQuery(text: string): RunQuery {
  if (text.length > queryCharsMax) {
    throw new AppError('bad-request', `The query may have ${queryCharsMax} characters at most`);
  }
  const query = {
    scheduleNames: [] as string[],
    executionIds: [] as string[],
    states: [] as string[],
    workflowNames: [] as string[],
    after: undefined as number | undefined,
    before: undefined as number | undefined,
  };
  for (const clause of clausesOf(text)) {
    const [, field, operator, rest = ''] = clausePattern.exec(clause) ?? [];
    if (field === undefined || operator === undefined) query.scheduleNames.push(unquoted(clause));
    else if (field.toLowerCase() === 'scheduledtime') {
      const bound = boundOf(operator, rest);
      if (operator.startsWith('>')) query.after = Math.max(query.after ?? -Infinity, bound);
      else query.before = Math.min(query.before ?? Infinity, bound);
    } else query[listOf(field)].push(...valuesOf(operator, rest, field));
  }
  const { after, before, ...lists } = query;
  return {
    ...lists,
    ...(after === undefined ? {} : { scheduledAfter: after }),
    ...(before === undefined ? {} : { scheduledBefore: before }),
  };
}

function clausesOf(text: string): string[] {
  return text
    .split(/\s+AND\s+/i)
    .map((clause) => clause.trim())
    .filter((clause) => clause !== '' && clause !== '*');
}

type Lists = 'scheduleNames' | 'executionIds' | 'states' | 'workflowNames';

function listOf(field: string): Lists {
  switch (field.toLowerCase()) {
    case 'schedulename':
      return 'scheduleNames';
    case 'state':
      return 'states';
    case 'workflowname':
      return 'workflowNames';
    default:
      return 'executionIds';
  }
}

function valuesOf(operator: string, rest: string, field: string): string[] {
  if (operator === '=') return [unquoted(rest)];
  const list = /^\((.*)\)$/s.exec(rest.trim());
  if (operator.toUpperCase() !== 'IN' || list === null) throw unreadable(`${field} ${operator}`);
  return (list[1] as string).split(',').map(unquoted);
}

/** Both bounds are exclusive inside. */
function boundOf(operator: string, rest: string): number {
  const text = unquoted(rest);
  if (!/^\d{1,15}$/.test(text)) throw unreadable(`scheduledTime ${operator} ${rest}`);
  const value = Number(text);
  if (operator === '>=') return value - 1;
  if (operator === '<=') return value + 1;
  if (operator === '>' || operator === '<') return value;
  throw unreadable(`scheduledTime ${operator}`);
}

function unquoted(text: string): string {
  return text.trim().replace(/^(['"])(.*)\1$/s, '$2');
}

function unreadable(clause: string): AppError {
  return new AppError('bad-request', `The query cannot be read at '${clause.slice(0, 100)}'`);
}
