// Failed executions, grouped by definition, task and reason. Ids, numbers and quoted texts in a
// reason are what differs between failures of one cause, so they do not count.
import { createHash } from 'node:crypto';
import type { Caller } from '../../model/caller.js';
import type { ExecutionHeader } from '../../store/search-store.js';
import { readableWorkflows } from '../access.js';
import type { SearchContext } from '../search/request.js';

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
  /** Epoch ms of the end of the first and of the last one. */
  firstTime: number;
  lastTime: number;
}

export interface FailureGroups {
  readonly groups: readonly FailureGroup[];
  /** Failed executions of the window that were not looked at, as there are too many. */
  readonly omitted: number;
}

/** Headers that one answer reads. */
const failuresReadMax = 5000;
const headersPerBatch = 500;
const idsMax = 500;

/** Executions that started in the window and failed, in groups with the largest first. */
export async function groupFailures(
  { context, store }: SearchContext,
  caller: Caller,
  windowMs: number,
): Promise<FailureGroups> {
  const range = {
    names: undefined,
    statuses: ['FAILED', 'TIMED_OUT'] as const,
    fromAt: context.clock.now() - windowMs,
    untilAt: undefined,
  };
  const { entries, total } = await store.page(range, {
    newestFirst: true,
    start: 0,
    size: failuresReadMax,
  });
  const isReadable = readableWorkflows(context.access, caller);
  const groups = new Map<string, FailureGroup>();
  for (let first = 0; first < entries.length; first += headersPerBatch) {
    const ids = entries.slice(first, first + headersPerBatch).map(({ id }) => id);
    for (const header of await store.headers(ids)) {
      if (header !== undefined && isReadable(header.snapshot.def.name)) addTo(groups, header);
    }
  }
  const sorted = [...groups.values()].sort((a, b) => b.count - a.count || b.lastTime - a.lastTime);
  return { groups: sorted, omitted: total - entries.length };
}

function addTo(groups: Map<string, FailureGroup>, { id, snapshot, state }: ExecutionHeader): void {
  const reason = state.reasonForIncompletion ?? '';
  const ref = state.failedReferenceTaskNames[0] ?? '';
  const workflowType = snapshot.def.name;
  const fingerprint = fingerprintOf(workflowType, ref, reason);
  const endedAt = state.endTime;
  const group = groups.get(fingerprint);
  if (group === undefined) {
    groups.set(fingerprint, {
      ...{ fingerprint, workflowType, ref, sample: reason, workflowIds: [id], count: 1 },
      ...{ firstTime: endedAt, lastTime: endedAt },
    });
    return;
  }
  group.count += 1;
  group.firstTime = Math.min(group.firstTime, endedAt);
  group.lastTime = Math.max(group.lastTime, endedAt);
  if (group.workflowIds.length < idsMax) group.workflowIds.push(id);
}

/** What a task said, out of the reason that its execution ended with. */
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
