// Reads the request for a bulk job (docs/bulk-jobs.md).
import type { Schema } from '../../model/schema.js';
import type { Json } from '../../model/json.js';
import { AppError } from '../../model/errors.js';
import { RecordReader, refused } from '../../model/record-reader.js';
import { parseWindowMs } from '../../model/time-window.js';
import type { BulkJobPlan } from './bulk-job.js';
import { bulkActions, bulkJobRequestSchema, plan as declared } from './schemas.js';

/** The selected executions: by ids, by a search, or a group of failures of one cause. */
export type BulkSelection =
  | { readonly ids: readonly string[] }
  | { readonly query: string; readonly freeText: string }
  | { readonly failureGroup: { readonly fingerprint: string; readonly windowMs: number } };

export interface BulkJobRequest {
  readonly plan: BulkJobPlan;
  readonly selection: BulkSelection;
}

const reasonCharsMax = 1000;
const windowDefault = '1d';

/** Throws AppError 'bad-request' that names the field. */
export function parseBulkJob(input: Json, idsMax: number): BulkJobRequest {
  const reader = new RecordReader(input, '');
  reader.only(Object.keys(bulkJobRequestSchema.properties ?? {}));
  const action = reader.choice('action', bulkActions);
  if (action === undefined) throw refused('action', `must be one of ${bulkActions.join(', ')}`);
  const reason = reader.text('reason') ?? '';
  if (reason.length > reasonCharsMax) {
    throw refused('reason', `must have at most ${reasonCharsMax} characters`);
  }
  const plan = {
    action,
    options: optionsOf(new RecordReader(reader.map('options'), 'options'), action),
    reason,
    canary: within(reader, 'canary'),
    canarySeconds: within(reader, 'canarySeconds'),
    ratePerSecond: within(reader, 'ratePerSecond'),
    stopAfterFailures: within(reader, 'stopAfterFailures', idsMax),
  };
  return { plan, selection: selectionOf(reader, idsMax) };
}

/** The actions that each option is for. */
const actionOf = { useLatestDefinitions: 'restart', triggerFailureWorkflow: 'terminate' } as const;

function optionsOf(reader: RecordReader, action: BulkJobPlan['action']): BulkJobPlan['options'] {
  reader.only(Object.keys(actionOf));
  const valueOf = (name: keyof typeof actionOf): boolean => {
    const isSet = reader.flag(name, false);
    if (!isSet || action === actionOf[name]) return isSet;
    throw refused(reader.pathOf(name), `is for ${actionOf[name]} only`);
  };
  return {
    useLatestDefinitions: valueOf('useLatestDefinitions'),
    triggerFailureWorkflow: valueOf('triggerFailureWorkflow'),
  };
}

/** `max`: where the schema has none. */
function within(reader: RecordReader, name: keyof BulkJobPlan, max = 0): number {
  const schema = declared[name] as Schema<number>;
  const [from, to] = [schema.minimum ?? 0, schema.maximum ?? max];
  const value = reader.optionalInteger(name) ?? (schema.default as number);
  if (value < from || value > to) throw refused(name, `must be ${from} to ${to}`);
  return value;
}

/** An empty query means everything; it must be there, so that nobody asks for it unwittingly. */
function selectionOf(reader: RecordReader, idsMax: number): BulkSelection {
  const query = reader.text('query');
  const freeText = reader.text('freeText');
  const isSearch = query !== undefined || freeText !== undefined;
  if (reader.has('failureGroup')) {
    if (isSearch || reader.has('ids')) {
      throw refused('failureGroup', 'must not be given together with ids, query or freeText');
    }
    return failureGroupOf(new RecordReader(reader.map('failureGroup'), 'failureGroup'));
  }
  if (!reader.has('ids')) {
    if (query !== undefined) return { query, freeText: freeText ?? '*' };
    throw new AppError('bad-request', 'One of ids, query and failureGroup must be given');
  }
  if (isSearch) throw refused('ids', 'must not be given together with query or freeText');
  const ids = [...new Set(reader.texts('ids'))];
  if (ids.length === 0) throw refused('ids', 'must not be empty');
  if (ids.length > idsMax) throw refused('ids', `must be at most ${idsMax} (bulkJobExecutionsMax)`);
  return { ids };
}

function failureGroupOf(reader: RecordReader): BulkSelection {
  const fingerprint = reader.text('fingerprint') ?? '';
  const windowMs = parseWindowMs(reader.text('window') ?? windowDefault);
  if (fingerprint === '') throw refused('failureGroup.fingerprint', 'must not be empty');
  if (windowMs === undefined) {
    throw refused('failureGroup.window', 'must be a length of time up to 366d, such as 1h or 7d');
  }
  return { failureGroup: { fingerprint, windowMs } };
}
