// The request for a bulk job (docs/bulk-jobs.md), declared once: types, parser, and the description
// of the API. `planFields` are shown with the job too.
import * as schema from '../../model/schema.js';
import { AppError } from '../../model/errors.js';
import { checkedText, choice, flag, integer, text, type Field } from '../../model/field.js';
import { type RecordReader, refused } from '../../model/record-reader.js';
import { ownRecord, record, type Values } from '../../model/record.js';
import { parseWindowMs } from '../../model/time-window.js';

export const bulkActions = [
  'retry',
  'restart',
  'rerun',
  'pause',
  'resume',
  'terminate',
  'remove',
] as const;

const canaryMax = 100;
const canarySecondsDefault = 30;
const rateMax = 1000;
const reasonCharsMax = 1000;
const windowDefault = '1d';

const optionFields = {
  useLatestDefinitions: flag({ about: 'restart: with the latest version', default: false }),
  triggerFailureWorkflow: flag({ about: 'terminate: start the failure workflows', default: false }),
};
const optionsRecord = ownRecord('BulkJobOptions', optionFields);
type Options = Values<typeof optionFields>;

/** The actions that each option is for. */
const actionOf = { useLatestDefinitions: 'restart', triggerFailureWorkflow: 'terminate' } as const;

const options: Field<Options, 'always'> = {
  presence: 'always',
  schema: optionsRecord.schema,
  read(reader, name) {
    const action = reader.choice('action', bulkActions);
    const read = optionsRecord.parse(reader.map(name), name);
    for (const option of ['useLatestDefinitions', 'triggerFailureWorkflow'] as const) {
      if (!read[option] || action === actionOf[option]) continue;
      throw refused(`${name}.${option}`, `is for ${actionOf[option]} only`);
    }
    return read;
  },
};

export const planFields = {
  action: choice(bulkActions, { about: 'What is done with each execution', required: true }),
  options,
  reason: text({
    about: 'Why, in the words of the caller; the history of each execution shows it',
    default: '',
    check(reason, path) {
      if (reason.length <= reasonCharsMax) return;
      throw refused(path, `must have at most ${reasonCharsMax} characters`);
    },
  }),
  canary: within('Executions that go alone first; 0: none', 5, [0, canaryMax]),
  canarySeconds: within(
    'The rest waits so long at most for the canary to end',
    canarySecondsDefault,
    [0, 600],
  ),
  ratePerSecond: within('Executions per second', 50, [1, rateMax]),
  // The setting bulkJobExecutionsMax is its bound.
  stopAfterFailures: integer({
    about: 'Stops by itself at so many failures; 0: never',
    default: 3,
    told: { default: 3, minimum: 0 },
  }),
};

/** The part of a job that its request says. */
export type BulkJobPlan = Values<typeof planFields>;

const failureGroup = record('BulkFailureGroup', {
  fingerprint: checkedText('Of a group that `GET /api/workflow/failures` shows'),
  window: text({
    about: 'Executions that started in it, such as `1h`, `7d`',
    ...{ default: windowDefault, mayBeEmpty: true, told: { default: windowDefault } },
  }),
});

const selectionFields = {
  ids: ifSent(
    schema.list(schema.text(), 'Executions; not together with query'),
    (reader, name): readonly string[] => [...new Set(reader.texts(name))],
  ),
  query: text({ about: 'Conditions, as in a search; empty: all executions' }),
  freeText: text({ about: 'Words to look for; `*` or empty for all', told: { default: '*' } }),
  failureGroup: ifSent(failureGroup.schema, (reader, name) =>
    failureGroup.parse(reader.map(name), name),
  ),
};
type Sent = Required<Values<typeof selectionFields>>;
type SentSelection = { readonly [Name in keyof Sent]: Sent[Name] | undefined };

const request = ownRecord('BulkJobRequest', { ...planFields, ...selectionFields });
export const bulkJobRequestSchema = request.schema;

/** The selected executions: by ids, by a search, or a group of failures of one cause. */
export type BulkSelection =
  | { readonly ids: readonly string[] }
  | { readonly query: string; readonly freeText: string }
  | { readonly failureGroup: { readonly fingerprint: string; readonly windowMs: number } };

export interface BulkJobRequest {
  readonly plan: BulkJobPlan;
  readonly selection: BulkSelection;
}

/** Throws AppError 'bad-request' that names the field. */
export function parseBulkJob(input: unknown, idsMax: number): BulkJobRequest {
  const { ids, query, freeText, failureGroup, ...plan } = request.parse(input);
  const { stopAfterFailures } = plan;
  if (stopAfterFailures < 0 || stopAfterFailures > idsMax) {
    throw refused('stopAfterFailures', `must be 0 to ${idsMax}`);
  }
  return { plan, selection: selectionOf({ ids, query, freeText, failureGroup }, idsMax) };
}

/** An empty query means everything; it must be there, so that nobody asks for it unwittingly. */
function selectionOf(
  { ids, query, freeText, failureGroup: group }: SentSelection,
  idsMax: number,
): BulkSelection {
  const isSearch = query !== undefined || freeText !== undefined;
  if (group !== undefined) {
    if (!isSearch && ids === undefined) return failureGroupOf(group);
    throw refused('failureGroup', 'must not be given together with ids, query or freeText');
  }
  if (ids === undefined) {
    if (query !== undefined) return { query, freeText: freeText ?? '*' };
    throw new AppError('bad-request', 'One of ids, query and failureGroup must be given');
  }
  if (isSearch) throw refused('ids', 'must not be given together with query or freeText');
  if (ids.length === 0) throw refused('ids', 'must not be empty');
  if (ids.length > idsMax) throw refused('ids', `must be at most ${idsMax} (bulkJobExecutionsMax)`);
  return { ids };
}

function failureGroupOf({
  fingerprint,
  window,
}: NonNullable<SentSelection['failureGroup']>): BulkSelection {
  const windowMs = parseWindowMs(window);
  if (fingerprint === '') throw refused('failureGroup.fingerprint', 'must not be empty');
  if (windowMs === undefined) {
    throw refused('failureGroup.window', 'must be a length of time up to 366d, such as 1h or 7d');
  }
  return { failureGroup: { fingerprint, windowMs } };
}

function within(
  about: string,
  normally: number,
  [from, to]: readonly [number, number],
): Field<number, 'always'> {
  return integer({
    ...{ about, default: normally, told: { default: normally, minimum: from, maximum: to } },
    check(value, path) {
      if (value < from || value > to) throw refused(path, `must be ${from} to ${to}`);
    },
  });
}

/** A field that counts as given when it is null. */
function ifSent<T>(
  described: schema.Schema,
  read: (reader: RecordReader, name: string) => T,
): Field<T, 'optional'> {
  return {
    ...{ presence: 'optional', schema: described },
    read: (reader, name) => (reader.has(name) ? read(reader, name) : undefined),
  };
}
