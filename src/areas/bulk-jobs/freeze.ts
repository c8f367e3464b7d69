// Which executions a bulk job acts on, fixed at its creation, and which it leaves out and why.
import { breathe } from '../../std/breather.js';
import { parseExecutionId, type ExecutionId } from '../../std/ids.js';
import type { AccessRules } from '../../access/access-rules.js';
import { mayOnExecution } from '../../access/execution-rights.js';
import type { Caller } from '../../model/caller.js';
import { statusesFor, type BulkAction, type BulkExclusion } from './bulk-job.js';
import type { BulkSelection } from './bulk-job-request.js';
import { AppError } from '../../model/errors.js';
import type { ExecutionHeader } from '../../store/search-store.js';
import { ownedOf, readableExecutions } from '../../operation/access.js';
import { failuresLike } from '../../operation/search/failure-groups.js';
import { inTurn, type SearchContext } from '../../operation/search/request.js';
import { findWorkflows } from '../../operation/search/find-workflows.js';

export interface Frozen {
  readonly ids: readonly ExecutionId[];
  readonly matched: number;
  readonly excluded: readonly BulkExclusion[];
}

export interface FreezeRequest {
  readonly caller: Caller;
  readonly action: BulkAction;
  readonly selection: BulkSelection;
  readonly executionsMax: number;
}

const headersPerBatch = 500;
const sampleMax = 5;

/** Throws AppError 'bad-request' when more are found than one job takes. */
export async function freeze(search: SearchContext, request: FreezeRequest): Promise<Frozen> {
  const { ids: found, omitted } = await selected(search, request);
  const { ids, excluded } = await judged(search, request, found);
  const unseen = {
    reason: 'Not looked at: too many older ones failed',
    count: omitted,
    sample: [],
  };
  const all = omitted === 0 ? excluded.all : [...excluded.all, unseen];
  return { ids, matched: found.length, excluded: all };
}

interface JudgeContext extends Pick<SearchContext, 'gone'> {
  readonly context: Pick<SearchContext['context'], 'access' | 'searchTurns'>;
  readonly store: Pick<SearchContext['store'], 'headers'>;
}

/** Which of those that were found the job acts on. Reads as searches do: callers take turns. */
export function judged(
  search: JudgeContext,
  request: Pick<FreezeRequest, 'caller' | 'action'>,
  found: readonly string[],
): Promise<{ ids: ExecutionId[]; excluded: Exclusions }> {
  return inTurn(search, request.caller, () => judgedNow(search, request, found));
}

async function judgedNow(
  { context, store }: JudgeContext,
  request: Pick<FreezeRequest, 'caller' | 'action'>,
  found: readonly string[],
): Promise<{ ids: ExecutionId[]; excluded: Exclusions }> {
  const isReadable = readableExecutions(context.access, request.caller);
  const excluded = new Exclusions();
  const ids: ExecutionId[] = [];
  for (let first = 0; first < found.length; first += headersPerBatch) {
    const some = found.slice(first, first + headersPerBatch);
    const known = some.map(parseExecutionId);
    const headers = await store.headers(known.filter((id) => id !== undefined));
    const byId = new Map<string, ExecutionHeader>();
    for (const header of headers) if (header !== undefined) byId.set(header.id, header);
    for (const id of some) {
      const header = byId.get(id);
      const isThere = header !== undefined && isReadable(header);
      const why = isThere ? whyNot(context.access, request, header) : 'There is none';
      if (why === undefined) ids.push(id as ExecutionId);
      else excluded.add(why, id);
      await breathe();
    }
  }
  return { ids, excluded };
}

interface Selected {
  readonly ids: readonly string[];
  /** Executions that may belong to it and were not looked at. */
  readonly omitted: number;
}

async function selected(
  search: SearchContext,
  { caller, selection, executionsMax }: FreezeRequest,
): Promise<Selected> {
  if ('ids' in selection) return { ids: selection.ids, omitted: 0 };
  if ('failureGroup' in selection) {
    const { fingerprint, windowMs } = selection.failureGroup;
    const asked = { caller, fingerprint, windowMs, readMax: executionsMax };
    return await failuresLike(search, asked);
  }
  const page = { start: 0, size: executionsMax, sort: undefined };
  // A clause that was ignored would make the job act on more than somebody meant.
  const options = { classifiers: [], topLevelOnly: false, strictFields: true };
  const { total, ids } = await findWorkflows(search, { caller, ...selection, ...page, ...options });
  if (total <= executionsMax) return { ids, omitted: 0 };
  throw new AppError(
    'bad-request',
    `query finds ${total} executions, one job takes ${executionsMax} (bulkJobExecutionsMax): narrow it`,
  );
}

/** undefined: it is acted on. */
function whyNot(
  access: AccessRules,
  { caller, action }: Pick<FreezeRequest, 'caller' | 'action'>,
  header: ExecutionHeader,
): string | undefined {
  const { snapshot, state } = header;
  if (!mayOnExecution(access, caller, 'EXECUTE', ownedOf(header))) {
    return `No right EXECUTE on ${snapshot.def.name}`;
  }
  const fits = statusesFor[action].includes(state.status);
  return fits ? undefined : `${state.status}: ${action} does not fit this status`;
}

class Exclusions {
  readonly #byReason = new Map<string, { count: number; sample: string[] }>();

  add(reason: string, id: string): void {
    const known = this.#byReason.get(reason) ?? { count: 0, sample: [] };
    known.count += 1;
    if (known.sample.length < sampleMax) known.sample.push(id);
    this.#byReason.set(reason, known);
  }

  get all(): BulkExclusion[] {
    return [...this.#byReason].map(([reason, { count, sample }]) => ({ reason, count, sample }));
  }
}
