// Outcomes of the executions of a bulk job, by name and business key. A retry, restart or rerun
// sets an execution going: whether that fixed it shows only in its status now. So outcomes are read
// from the executions as they are, not from what the job noted.
import type { ValueOf } from '../../model/schema.js';
import { breathe } from '../../std/breather.js';
import { parseExecutionId } from '../../std/ids.js';
import type { Caller } from '../../model/caller.js';
import { refused } from '../../model/record-reader.js';
import { isTerminalWorkflow } from '../../model/status.js';
import type { ExecutionHeader } from '../../store/search-store.js';
import { readableExecutions } from '../../operation/access.js';
import { inTurn, type SearchContext } from '../../operation/search/request.js';
import { setsGoing, type BulkJob } from './bulk-job.js';
import type { BulkJobStore } from './job-store.js';
import { bulkOutcomes, type bulkOutcomeSchema, type bulkOutcomesSchema } from './schemas.js';

type ExecutionOutcome = ValueOf<typeof bulkOutcomeSchema>;
type BulkOutcome = ExecutionOutcome['outcome'];

export interface OutcomesAsked {
  readonly caller: Caller;
  /** undefined: all. */
  readonly outcome: string | undefined;
  readonly start: number;
  readonly size: number;
  /** Aborted when the caller waits no more. */
  readonly gone: AbortSignal;
}

export type OutcomesPage = ValueOf<typeof bulkOutcomesSchema>;

interface OutcomeParts {
  readonly store: BulkJobStore;
  readonly search: SearchContext;
}

/** Executions that one answer reads. */
const outcomesReadMax = 5000;
const headersPerBatch = 500;
const pageSizeMax = 500;

/** Throws AppError 'bad-request' that names the parameter. */
export async function outcomesOf(
  { store, search }: OutcomeParts,
  job: BulkJob,
  asked: OutcomesAsked,
): Promise<OutcomesPage> {
  checkAsked(asked);
  return await inTurn({ ...search, gone: asked.gone }, asked.caller, () =>
    readOutcomes({ store, search }, job, asked),
  );
}

async function readOutcomes(
  { store, search }: OutcomeParts,
  job: BulkJob,
  asked: OutcomesAsked,
): Promise<OutcomesPage> {
  const ids = await store.ids(job.id, 0, Math.min(job.count, outcomesReadMax));
  const refusals = await refusalsOf(store, job);
  const isReadable = readableExecutions(search.context.access, asked.caller);
  const counts: Record<string, number> = {};
  const fitting: ExecutionOutcome[] = [];
  for (let first = 0; first < ids.length; first += headersPerBatch) {
    const some = ids.slice(first, first + headersPerBatch);
    const headers = await headersOf(search, some);
    for (const [i, workflowId] of some.entries()) {
      const known = headers.get(workflowId);
      const header = known !== undefined && isReadable(known) ? known : undefined;
      const isWaiting = first + i >= job.done;
      const row = rowOf(job, { workflowId, header, isWaiting, refusals });
      counts[row.outcome] = (counts[row.outcome] ?? 0) + 1;
      if (asked.outcome === undefined || asked.outcome === row.outcome) fitting.push(row);
      await breathe();
    }
  }
  const results = fitting.slice(asked.start, asked.start + asked.size);
  return { counts, totalHits: fitting.length, omitted: job.count - ids.length, results };
}

function checkAsked({ outcome, start, size }: OutcomesAsked): void {
  if (outcome !== undefined && !(bulkOutcomes as readonly string[]).includes(outcome)) {
    throw refused('outcome', `must be one of ${bulkOutcomes.join(', ')}`);
  }
  if (start < 0) throw refused('start', 'must be at least 0');
  if (size < 1 || size > pageSizeMax) throw refused('size', `must be 1 to ${pageSizeMax}`);
}

async function refusalsOf(store: BulkJobStore, job: BulkJob): Promise<ReadonlyMap<string, string>> {
  if (job.refused === 0) return new Map();
  const kept = await store.refusals(job.id);
  return new Map(kept.map(({ workflowId, message }) => [workflowId, message]));
}

async function headersOf(
  { store }: SearchContext,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ExecutionHeader>> {
  const known = ids.map(parseExecutionId).filter((id) => id !== undefined);
  const headers = await store.headers(known);
  const byId = new Map<string, ExecutionHeader>();
  for (const header of headers) if (header !== undefined) byId.set(header.id, header);
  return byId;
}

interface Seen {
  readonly workflowId: string;
  /** undefined: it is not there, or who asks may not see it. */
  readonly header: ExecutionHeader | undefined;
  /** The job has not acted on it yet. */
  readonly isWaiting: boolean;
  readonly refusals: ReadonlyMap<string, string>;
}

function rowOf(job: BulkJob, seen: Seen): ExecutionOutcome {
  const { workflowId, header, refusals } = seen;
  const outcome = outcomeOf(job, seen);
  const refusal = outcome === 'REFUSED' ? (refusals.get(workflowId) ?? reasonNotKept) : undefined;
  const why = refusal === undefined ? {} : { reason: refusal };
  if (header === undefined) return { workflowId, outcome, ...why };
  const { snapshot, attributes, state } = header;
  const { correlationId } = attributes;
  const reason = refusal ?? (outcome === 'FAILED_AGAIN' ? state.reasonForIncompletion : undefined);
  return {
    ...{ workflowId, outcome, workflowType: snapshot.def.name, status: state.status },
    ...(correlationId === undefined ? {} : { correlationId }),
    ...(reason === undefined ? {} : { reason }),
    // One that was set going again keeps the end of its last run.
    ...(isTerminalWorkflow(state.status) ? { endTime: state.endTime } : {}),
  };
}

const reasonNotKept = 'Too many were refused to keep the reason of each';

function outcomeOf(job: BulkJob, { workflowId, header, isWaiting, refusals }: Seen): BulkOutcome {
  if (isWaiting) return header === undefined ? 'GONE' : 'WAITING';
  if (refusals.has(workflowId)) return 'REFUSED';
  if (header === undefined) return job.action === 'remove' ? 'DONE' : 'GONE';
  if (!setsGoing.has(job.action)) return 'DONE';
  const { status, createTime, lastRetriedTime } = header.state;
  // Of many refusals only the first are kept; one that was never set going is one of the others.
  const isBeyondKept = job.refused > refusals.size;
  const wasSetGoing = Math.max(createTime, lastRetriedTime) >= (job.startedAt ?? 0);
  if (isBeyondKept && !wasSetGoing) return 'REFUSED';
  if (!isTerminalWorkflow(status)) return 'RUNNING';
  return status === 'COMPLETED' ? 'FIXED' : 'FAILED_AGAIN';
}
