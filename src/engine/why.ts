// Why an execution does not go on: what each open task waits for and what would move it, computed
// from the engine's own state (open tasks, deadlines, notes) and from what the caller has found out
// about the queues beforehand. Nothing is stored for it and nothing changes, so that it can be
// asked at any time, also of a paused or parked execution.
import type { Task } from '../model/execution.js';
import type { JsonMap } from '../model/json.js';
import { isTerminalTask, isTerminalWorkflow } from '../model/status.js';
import type { WhyAnswer } from '../model/why-answers.js';
import type { QueueName } from './decision.js';
import { delayedStartAt, workflowDeadline } from './deadlines.js';
import { waitsForOthers, type OpenExecution } from './open-execution.js';
import { nextWakeAt } from './wake-up.js';
import { taskTypeOf } from './task-types/list.js';
import {
  delayReason,
  earliest,
  idOf,
  iso,
  reason,
  shown,
  timeoutOf,
  until,
  untilTimeout,
  type WaitReason,
} from './wait-reason.js';
import { attemptLimits, queueDelay, queueOf, queueText } from './worker-queue.js';

/**
 * The state of the queues at the moment of the question. All answers are ready: nothing is asked
 * from here.
 */
export interface QueueFacts {
  /** Last poll of a queue, epoch ms; 0 = never. */
  lastPollAt(queue: QueueName): number;
  /** undefined: this attempt was not looked up. */
  attempt(task: Task): AttemptFacts | undefined;
  /** Quota that keeps the scripts of this execution waiting; undefined: none. */
  readonly scriptQuota?: string | undefined;
}

export interface AttemptFacts {
  /** Attempts that are handed out before this one. */
  readonly ahead?: number;
  /** Slots of its definition in use, and the ids of (some of) the tasks that hold them. */
  readonly slotsUsed?: number;
  readonly slotHolders?: readonly string[];
  /** When the rate window lets one more through, epoch ms; 0 = now. */
  readonly rateOpensAt?: number;
  /** End of its lease, epoch ms; 0 = no end. */
  readonly leaseEndAt?: number;
}

/** Tasks that one answer describes. */
export const reasonsMax = 100;

/** Polls older than this count as "no worker there". */
const pollFreshMs = 10_000;

/**
 * The reasons why a whole execution waits: its own first, then those of its open tasks in list
 * order, at most `reasonsMax`. `now`: epoch ms.
 */
export function why(open: OpenExecution, facts: QueueFacts, now: number): WhyAnswer {
  const { execution } = open;
  const { status } = execution.state;
  const tasks = shownTasks(open);
  const waitsFor = [
    ...executionReasons(open, facts),
    ...tasks.map((task) => withLastFailure(open, task, openTaskReason(open, task, facts, now))),
  ];
  return {
    workflowId: execution.id,
    status,
    reason: summarize(open, waitsFor),
    waitsFor,
    omitted: open.openTasks.size - tasks.length,
    nextMoveTime: nextWakeAt(open),
  };
}

/** The reason why one task waits, or how it ended. */
export function whyTask(
  open: OpenExecution,
  task: Task,
  facts: QueueFacts,
  now: number,
): WaitReason {
  return isTerminalTask(task.status)
    ? endedTask(open, task)
    : withLastFailure(open, task, openTaskReason(open, task, facts, now));
}

/** Of a task that is tried again: how the attempt before it ended, and why. */
function withLastFailure(open: OpenExecution, task: Task, told: WaitReason): WaitReason {
  const { retriedTaskNumber } = task;
  const before = retriedTaskNumber === undefined ? undefined : open.byNumber.get(retriedTaskNumber);
  if (before === undefined) return told;
  const because = before.reason === undefined ? '' : `: ${withoutStop(before.reason)}`;
  return {
    ...told,
    reason: `${told.reason} The attempt before it ended as ${before.status} at ${iso(before.endAt)}${because}.`,
    data: {
      ...told.data,
      lastFailure: {
        taskId: idOf(open, before),
        status: before.status,
        reason: before.reason ?? null,
        endTime: before.endAt,
      },
    },
  };
}

function withoutStop(text: string): string {
  return text.replace(/\.\s*$/, '');
}

/**
 * The open tasks that an answer describes: the ones that others wait for before those that only
 * wait for others.
 */
export function shownTasks(open: OpenExecution): Task[] {
  const leading: Task[] = [];
  const waiting: Task[] = [];
  for (const task of open.openTasks) {
    if (leading.length === reasonsMax) break;
    (waitsForOthers(open, task) ? waiting : leading).push(task);
  }
  return [...leading, ...waiting].slice(0, reasonsMax).sort((a, b) => a.seq - b.seq);
}

function summarize(open: OpenExecution, reasons: readonly WaitReason[]): string {
  const [first] = reasons;
  if (first === undefined) {
    return 'Nothing is open and nothing is left to do; a decide looks at everything again.';
  }
  if (reasons.length === 1 || isTerminalWorkflow(open.execution.state.status)) return first.reason;
  const leading = reasons.find(({ kind }) => kind !== 'branches' && kind !== 'loop') ?? first;
  const others = reasons.length - 1;
  return `${leading.reason} ${others} more ${others === 1 ? 'thing is' : 'things are'} waited for.`;
}

function executionReasons(open: OpenExecution, { scriptQuota }: QueueFacts): WaitReason[] {
  const { execution } = open;
  const { status, endTime, reasonForIncompletion } = execution.state;
  if (isTerminalWorkflow(status)) {
    const because = reasonForIncompletion === undefined ? '' : `: ${reasonForIncompletion}`;
    return [
      {
        kind: 'ended',
        reason: `The execution ended as ${status} at ${iso(endTime)}${because}.`,
        moves: status === 'COMPLETED' ? 'restart or rerun' : 'retry, rerun or restart',
        data: { endTime },
      },
    ];
  }
  const reasons: WaitReason[] = [];
  if (status === 'PAUSED') {
    reasons.push({
      kind: 'paused',
      reason: 'The execution is paused: reports are stored, but nothing follows from them.',
      moves: `PUT /api/workflow/${execution.id}/resume`,
      ...until(workflowDeadline(execution)),
      data: {},
    });
  }
  if (execution.state.room?.isHeld === true) {
    reasons.push({
      kind: 'execution-limit',
      reason: `As many executions of ${execution.snapshot.def.name} run as its rate limit allows: this one begins when another ends.`,
      moves: 'the end of another execution, or a higher rate limit',
      ...until(workflowDeadline(execution)),
      data: {},
    });
  }
  if (open.parked !== undefined) {
    reasons.push(scriptReason(open.parked, scriptQuota));
  } else if (open.isBusy) {
    reasons.push({
      kind: 'settling',
      reason: 'The last change is still being worked off.',
      moves: 'the server goes on by itself',
      data: {},
    });
  }
  return reasons;
}

function scriptReason(script: string, quota: string | undefined): WaitReason {
  if (quota === undefined) {
    return {
      kind: 'script',
      reason: 'A script is being evaluated.',
      moves: 'its result or its time limit',
      data: { script },
    };
  }
  return {
    kind: 'script',
    reason: `A script waits for the quota ${quota}, which other scripts have used up.`,
    moves: `its turn, or a higher ${quota}`,
    data: { script, quota },
  };
}

function openTaskReason(
  open: OpenExecution,
  task: Task,
  facts: QueueFacts,
  now: number,
): WaitReason {
  const type = taskTypeOf(task);
  if (type.carriedOutBy === 'worker') {
    return task.status === 'SCHEDULED'
      ? scheduledWorker(open, task, facts, now)
      : leasedWorker(open, task, facts, now);
  }
  const dueAt = delayedStartAt(task);
  if (dueAt > 0) return delayReason(open, task, { dueAt, now, moves: 'that moment' });
  return type.whyWaits(open, task, now);
}

// ---- worker tasks ----

function scheduledWorker(
  open: OpenExecution,
  task: Task,
  facts: QueueFacts,
  now: number,
): WaitReason {
  const visibleAt = queueDelay(task, now);
  if (visibleAt > now) {
    const moves = 'that moment, or POST resetcallbacks';
    return delayReason(open, task, { dueAt: visibleAt, now, moves });
  }
  const known = facts.attempt(task);
  const limits = attemptLimits(task);
  const queue = queueOf(task);
  const lastPollTime = facts.lastPollAt(queue);
  const data: JsonMap = { queue: queueText(queue), lastPollTime };
  if (known?.ahead !== undefined) data['ahead'] = known.ahead;
  const limit = limits?.concurrentExecLimit ?? 0;
  if (limit > 0 && (known?.slotsUsed ?? 0) >= limit) {
    const holders = [...(known?.slotHolders ?? [])];
    return reason(open, task, 'concurrency-limit', {
      reason: `${shown(task)} waits for a slot: ${known?.slotsUsed ?? limit} of at most ${limit} tasks of ${limits?.defName} run.`,
      moves: 'the end of one of the tasks that hold the slots',
      data: { ...data, concurrentExecLimit: limit, heldBy: holders },
    });
  }
  const opensAt = known?.rateOpensAt ?? 0;
  if (opensAt > now) {
    return reason(open, task, 'rate-limit', {
      reason:
        `${shown(task)} waits for its rate window: at most ${limits?.rateLimitPerFrequency} in ` +
        `${limits?.rateLimitFrequencyInSeconds} s; it opens in ${opensAt - now} ms.`,
      moves: 'the window opens by itself',
      untilTime: opensAt,
      data: { ...data, opensInMs: opensAt - now },
    });
  }
  if (now - lastPollTime > pollFreshMs) {
    const since = lastPollTime === 0 ? 'has ever polled' : `has polled since ${iso(lastPollTime)}`;
    return reason(open, task, 'not-polled', {
      reason: `${shown(task)} waits for a worker: none ${since} for ${described(queue)}.`,
      moves: `a worker that polls ${described(queue)}`,
      ...untilTimeout(open, task),
      data,
    });
  }
  return reason(open, task, 'queued', {
    reason: `${shown(task)} is in the queue of ${described(queue)}${aheadText(known?.ahead)}; the last poll was at ${iso(lastPollTime)}.`,
    moves: 'the next poll of a worker',
    ...untilTimeout(open, task),
    data,
  });
}

function aheadText(ahead: number | undefined): string {
  return ahead === undefined ? '' : ` with ${ahead} ahead of it`;
}

function leasedWorker(open: OpenExecution, task: Task, facts: QueueFacts, now: number): WaitReason {
  const worker = task.workerId ?? 'a worker without a name';
  const leaseEndAt = leaseEndOf(task, facts);
  const end = leaseEndAt === 0 ? 'without a time limit' : `until ${iso(leaseEndAt)} at the latest`;
  return reason(open, task, 'leased', {
    reason: `${shown(task)} is with ${worker} since ${iso(task.startAt)}, ${end}.`,
    moves: 'a report of that worker',
    ...until(earliest(leaseEndAt, timeoutOf(open, task))),
    data: {
      workerId: task.workerId ?? null,
      heldForMs: now - task.startAt,
      leaseEndTime: leaseEndAt,
    },
  });
}

function leaseEndOf(task: Task, facts: QueueFacts): number {
  if (task.lease !== undefined) return task.lease.endAt;
  const known = facts.attempt(task)?.leaseEndAt;
  if (known !== undefined) return known;
  const seconds = task.responseTimeoutSeconds;
  return seconds > 0 ? Math.max(task.updateAt, task.startAt) + seconds * 1000 : 0;
}

function endedTask(open: OpenExecution, task: Task): WaitReason {
  const because = task.reason === undefined ? '' : `: ${task.reason}`;
  const next = task.retried ? open.lastByRef(task.ref) : undefined;
  const superseded =
    next === undefined ? '' : ` A newer attempt took its place: ${idOf(open, next)}.`;
  return reason(open, task, 'ended', {
    reason: `${shown(task)} ended as ${task.status} at ${iso(task.endAt)}${because}.${superseded}`,
    moves: task.retried ? 'nothing, it is superseded' : 'a retry or rerun of the execution',
    data: {
      endTime: task.endAt,
      ...(next === undefined ? {} : { supersededBy: idOf(open, next) }),
    },
  });
}

function described(queue: QueueName): string {
  return queue.domain === undefined
    ? `type ${queue.taskType}`
    : `type ${queue.taskType} in domain ${queue.domain}`;
}
