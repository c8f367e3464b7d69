// Failed executions, grouped by definition, task and reason. Ids, numbers and quoted texts in a
// reason are what differs between failures of one cause, so they do not count. An execution that
// failed because its child did belongs to the cause of that child: a retry of the child moves both.
import { createHash } from 'node:crypto';
import { mayOnAllExecutions } from '../../access/execution-rights.js';
import { breathe } from '../../std/breather.js';
import type { Caller } from '../../model/caller.js';
import type { ExecutionHeader, IndexEntry } from '../../store/search-store.js';
import { readableExecutions } from '../access.js';
import { inTurn, type AccessContext, type SearchContext } from './request.js';

export interface FailureGroup {
  readonly fingerprint: string;
  readonly workflowType: string;
  /** Reference name of the task that failed; '' when the execution itself did. */
  readonly ref: string;
  /** Reason of the newest one. */
  readonly sample: string;
  /** Newest first, at most `idsMax`. */
  readonly workflowIds: string[];
  count: number;
  /** How many of them ended in each of `trendSteps` equal parts of the window, oldest first. */
  readonly trend: number[];
  /** Epoch ms of the end of the first and of the last one. */
  firstTime: number;
  lastTime: number;
}

export interface FailureGroups {
  readonly groups: readonly FailureGroup[];
  /**
   * Failed executions of the window that were not looked at, as there are too many; 1 for some,
   * where the caller may not read all executions.
   */
  readonly omitted: number;
}

/** Headers that one answer reads. */
const failuresReadMax = 5000;
const headersPerBatch = 500;
const idsMax = 500;

/** Parts of the window that a trend counts. */
export const trendSteps = 12;

interface Window {
  readonly fromAt: number;
  readonly ms: number;
}

/** Executions that started in the window and failed, in groups with the largest first. */
export async function groupFailures(
  search: SearchContext,
  caller: Caller,
  windowMs: number,
): Promise<FailureGroups> {
  const window = { fromAt: search.context.clock.now() - windowMs, ms: windowMs };
  const { entries, total } = await failedSince(search, window.fromAt, failuresReadMax);
  const groups = new Map<string, FailureGroup>();
  await inTurn(search, caller, async () => {
    for await (const header of causes(search, caller, entries)) addTo(groups, header, window);
  });
  const sorted = [...groups.values()].sort((a, b) => b.count - a.count || b.lastTime - a.lastTime);
  return { groups: sorted, omitted: omittedOf(search, caller, total - entries.length) };
}

/**
 * Ids of the executions of one group that started in the window, newest first, and how many failed
 * ones were not looked at because `readMax` had been.
 */
export async function failuresLike(
  search: SearchContext,
  asked: {
    readonly caller: Caller;
    readonly fingerprint: string;
    readonly windowMs: number;
    readonly readMax: number;
  },
): Promise<{ readonly ids: readonly string[]; readonly omitted: number }> {
  const fromAt = search.context.clock.now() - asked.windowMs;
  const { entries, total } = await failedSince(search, fromAt, asked.readMax);
  const ids: string[] = [];
  await inTurn(search, asked.caller, async () => {
    for await (const header of causes(search, asked.caller, entries)) {
      if (causeIn(header).fingerprint === asked.fingerprint) ids.push(header.id);
    }
  });
  return { ids, omitted: omittedOf(search, asked.caller, total - entries.length) };
}

/** How many executions of others there are is told to nobody who may not read all of them. */
export function omittedOf({ context }: AccessContext, caller: Caller, count: number): number {
  return mayOnAllExecutions(context.access, caller, 'READ') ? count : Math.min(1, count);
}

function failedSince(
  { store }: SearchContext,
  fromAt: number,
  readMax: number,
): ReturnType<SearchContext['store']['page']> {
  const statuses = ['FAILED', 'TIMED_OUT'] as const;
  const range = { names: undefined, statuses, fromAt, untilAt: undefined };
  return store.page(range, { newestFirst: true, start: 0, size: readMax });
}

/** Headers of the readable ones, without those that failed with a child which is one of them. */
async function* causes(
  search: SearchContext,
  caller: Caller,
  entries: readonly IndexEntry[],
): AsyncGenerator<ExecutionHeader> {
  const parentOf = new Map<string, string | undefined>();
  const withChild: { readonly header: ExecutionHeader; readonly childId: string }[] = [];
  for await (const header of readable(search, caller, entries)) {
    parentOf.set(header.id, header.attributes.parentWorkflowId);
    const childId = failedChildIn(header.state.reasonForIncompletion ?? '');
    if (childId === undefined) yield header;
    else withChild.push({ header, childId });
  }
  // A worker may write any reason: the child has to name this parent as well.
  for (const { header, childId } of withChild) {
    if (parentOf.get(childId) !== header.id) yield header;
  }
}

/** Id of the child that an execution failed with, out of its reason. */
function failedChildIn(reason: string): string | undefined {
  return childFailure.exec(reason)?.[1];
}

/** As `child-ended.ts` of the engine words it, in the words of the task that failed. */
const childFailure = /and reason: 'Sub workflow .+?\/(\S+) failure reason: /;

/** Headers of those that the caller may read. */
async function* readable(
  { context, store }: SearchContext,
  caller: Caller,
  entries: readonly IndexEntry[],
): AsyncGenerator<ExecutionHeader> {
  const isReadable = readableExecutions(context.access, caller);
  for (let first = 0; first < entries.length; first += headersPerBatch) {
    const ids = entries.slice(first, first + headersPerBatch).map(({ id }) => id);
    for (const header of await store.headers(ids)) {
      if (header !== undefined && isReadable(header)) yield header;
      await breathe();
    }
  }
}

function addTo(
  groups: Map<string, FailureGroup>,
  header: ExecutionHeader,
  { fromAt, ms }: Window,
): void {
  const { fingerprint, workflowType, ref, reason } = causeIn(header);
  const { id } = header;
  const endedAt = header.state.endTime;
  let group = groups.get(fingerprint);
  if (group === undefined) {
    group = {
      ...{ fingerprint, workflowType, ref, sample: reason, workflowIds: [], count: 0 },
      ...{ firstTime: endedAt, lastTime: endedAt, trend: Array<number>(trendSteps).fill(0) },
    };
    groups.set(fingerprint, group);
  }
  const step = Math.min(trendSteps - 1, Math.floor(((endedAt - fromAt) / ms) * trendSteps));
  group.trend[step] = (group.trend[step] ?? 0) + 1;
  group.count += 1;
  group.firstTime = Math.min(group.firstTime, endedAt);
  group.lastTime = Math.max(group.lastTime, endedAt);
  if (group.workflowIds.length < idsMax) group.workflowIds.push(id);
}

interface Cause {
  readonly fingerprint: string;
  readonly workflowType: string;
  readonly ref: string;
  readonly reason: string;
}

function causeIn({ snapshot, state }: ExecutionHeader): Cause {
  const reason = state.reasonForIncompletion ?? '';
  const ref = state.failedReferenceTaskNames[0] ?? '';
  const workflowType = snapshot.def.name;
  return { fingerprint: fingerprintOf(workflowType, ref, reason), workflowType, ref, reason };
}

/** The words of a task, out of the reason that its execution ended with. */
export function causeOf(reason: string): string {
  return /^Task \S+ failed with status: \w+ and reason: '(.+)'$/s.exec(reason)?.[1] ?? reason;
}

const reasonCharsMax = 300;

function fingerprintOf(workflowType: string, ref: string, reason: string): string {
  const cause = reason
    .slice(0, reasonCharsMax)
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/gi, '#')
    .replace(/\d+/g, '#');
  const parts = [workflowType, ref.replace(/__\d+$/, ''), cause];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}
