// Reads the request for a bulk job (docs/bulk-jobs.md).
import type { Json } from '../json.js';
import { AppError } from '../errors.js';
import { RecordReader, refused } from '../record-reader.js';
import { bulkActions, type BulkJobPlan } from './bulk-job.js';

/** What the executions are: by ids, or by a search. */
export type BulkSelection =
  { readonly ids: readonly string[] } | { readonly query: string; readonly freeText: string };

export interface BulkJobRequest {
  readonly plan: BulkJobPlan;
  readonly selection: BulkSelection;
}

const canaryDefault = 5;
const canaryMax = 100;
const canarySecondsDefault = 30;
const canarySecondsMax = 600;
const rateDefault = 50;
const rateMax = 1000;
const stopAfterDefault = 3;
const reasonCharsMax = 1000;

/** Throws AppError 'bad-request' that names the field. */
export function parseBulkJob(input: Json, idsMax: number): BulkJobRequest {
  const reader = new RecordReader(input, '');
  const action = reader.choice('action', bulkActions);
  if (action === undefined) throw refused('action', `must be one of ${bulkActions.join(', ')}`);
  const options = new RecordReader(reader.map('options'), 'options');
  const reason = reader.text('reason') ?? '';
  if (reason.length > reasonCharsMax) {
    throw refused('reason', `must have at most ${reasonCharsMax} characters`);
  }
  const plan = {
    action,
    options: {
      useLatestDefinitions: options.flag('useLatestDefinitions', false),
      triggerFailureWorkflow: options.flag('triggerFailureWorkflow', false),
    },
    reason,
    canary: within(reader, 'canary', { fallback: canaryDefault, min: 0, max: canaryMax }),
    canarySeconds: within(reader, 'canarySeconds', {
      fallback: canarySecondsDefault,
      min: 0,
      max: canarySecondsMax,
    }),
    ratePerSecond: within(reader, 'ratePerSecond', { fallback: rateDefault, min: 1, max: rateMax }),
    stopAfterFailures: within(reader, 'stopAfterFailures', {
      fallback: stopAfterDefault,
      min: 0,
      max: idsMax,
    }),
  };
  return { plan, selection: selectionOf(reader, idsMax) };
}

function within(
  reader: RecordReader,
  name: string,
  { fallback, min, max }: { fallback: number; min: number; max: number },
): number {
  const value = reader.optionalInteger(name) ?? fallback;
  if (value < min || value > max) throw refused(name, `must be ${min} to ${max}`);
  return value;
}

/** An empty query means everything; it must be there, so that nobody asks for it unwittingly. */
function selectionOf(reader: RecordReader, idsMax: number): BulkSelection {
  const query = reader.text('query');
  const freeText = reader.text('freeText');
  if (!reader.has('ids')) {
    if (query === undefined) throw new AppError('bad-request', 'Either ids or query must be given');
    return { query, freeText: freeText ?? '*' };
  }
  if (query !== undefined || freeText !== undefined) {
    throw refused('ids', 'must not be given together with query or freeText');
  }
  const ids = [...new Set(reader.texts('ids'))];
  if (ids.length === 0) throw refused('ids', 'must not be empty');
  if (ids.length > idsMax) throw refused('ids', `must be at most ${idsMax} (bulkJobExecutionsMax)`);
  return { ids };
}
