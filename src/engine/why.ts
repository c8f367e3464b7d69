// Why an execution does not go on: what each open task waits for and what would move it, computed
// from the engine's own state (open tasks, deadlines, notes) and from what the caller has found out
// about the queues beforehand. Nothing is stored for it and nothing changes, so that it can be
// asked at any time, also of a paused or parked execution.
import { taskIdOf } from '../std/ids.js';
import type { Task } from '../model/execution.js';
import type { Json, JsonMap } from '../model/json.js';
import { isTerminalTask, isTerminalWorkflow, type WorkflowStatus } from '../model/status.js';
import type { QueueName } from './decision.js';
import { deadlineKinds, deadlineOf, workflowDeadline } from './deadlines.js';
import { defaultJoinRefsOf, joinRefsOf, nextWakeAt, type OpenExecution } from './open-execution.js';
import { isServerTask, isWorkerTask, notesOf } from './task-kinds.js';
import { attemptLimits, queueDelay, queueOf } from './worker-queue.js';

/**
 * What is known of the queues at the moment of the question. All answers are ready: nothing is
 * asked from here.
 */
export interface QueueFacts {
  /** Last poll of a queue, epoch ms; 0 = never. */
  lastPollAt(queue: QueueName): number;
  /** undefined: this attempt was not looked up. */
  attempt(task: Task): AttemptFacts | undefined;
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

export type WaitKind =
  // of the execution
  | 'ended' | 'paused' | 'script' | 'settling'
  // of a worker task
  | 'not-polled' | 'queued' | 'concurrency-limit' | 'rate-limit' | 'delayed' | 'retry-due' | 'leased'
  // of a task of the engine or the server
  | 'server-run' | 'branches' | 'loop' | 'timer' | 'signal' | 'person' | 'message' | 'child' | 'start-order' | 'external'; // prettier-ignore

/** One thing that is waited for. */
export interface WaitReason {
  readonly kind: WaitKind;
  /** One sentence for a person. */
  readonly sentence: string;
  /** What would move it on. */
  readonly moves: string;
  readonly taskId?: string;
  readonly ref?: string;
  /** When it moves on or is given up by itself, epoch ms; absent: never by itself. */
  readonly untilAt?: number;
  readonly data: JsonMap;
}

export interface WhyAnswer {
  readonly workflowId: string;
  readonly status: WorkflowStatus;
  /** One sentence over all reasons. */
  readonly sentence: string;
  /** Of the execution first, then of its open tasks in list order, at most `reasonsMax`. */
  readonly reasons: readonly WaitReason[];
  /** Open tasks beyond those. */
  readonly omitted: number;
  /** Next moment at which the execution moves by itself (timer or timeout), epoch ms; 0 = none. */
  readonly nextMoveAt: number;
}

/** Tasks that one answer describes. */
export const reasonsMax = 100;

/** The last moment that a date can show, epoch ms. */
const calendarEndAt = 8_640_000_000_000_000;

/** Polls older than this count as "no worker there". */
const pollFreshMs = 10_000;

/** What a whole execution waits for. `now`: epoch ms. */
export function why(open: OpenExecution, facts: QueueFacts, now: number): WhyAnswer {
  const { execution } = open;
  const { status } = execution.state;
  const tasks = shownTasks(open);
  const reasons = [
    ...executionReasons(open),
    ...tasks.map((task) => openTaskReason(open, task, facts, now)),
  ];
  return {
    workflowId: execution.id,
    status,
    sentence: summarize(open, reasons),
    reasons,
    omitted: open.openTasks.size - tasks.length,
    nextMoveAt: nextWakeAt(open),
  };
}

/** What one task waits for, or how it ended. */
export function whyTask(
  open: OpenExecution,
  task: Task,
  facts: QueueFacts,
  now: number,
): WaitReason {
  return isTerminalTask(task.status)
    ? endedTask(open, task)
    : openTaskReason(open, task, facts, now);
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
    (waitsForOthers(task) ? waiting : leading).push(task);
  }
  return [...leading, ...waiting].slice(0, reasonsMax).sort((a, b) => a.seq - b.seq);
}

function waitsForOthers(task: Task): boolean {
  return (
    task.taskType === 'JOIN' || task.taskType === 'EXCLUSIVE_JOIN' || task.taskType === 'DO_WHILE'
  );
}

function summarize(open: OpenExecution, reasons: readonly WaitReason[]): string {
  const [first] = reasons;
  if (first === undefined) {
    return 'Nothing is open and nothing is left to do; a decide looks at everything again.';
  }
  if (reasons.length === 1 || isTerminalWorkflow(open.execution.state.status))
    return first.sentence;
  const leading = reasons.find(({ kind }) => kind !== 'branches' && kind !== 'loop') ?? first;
  const others = reasons.length - 1;
  return `${leading.sentence} ${others} more ${others === 1 ? 'thing is' : 'things are'} waited for.`;
}

function executionReasons(open: OpenExecution): WaitReason[] {
  const { execution } = open;
  const { status, endTime, reasonForIncompletion } = execution.state;
  if (isTerminalWorkflow(status)) {
    const because = reasonForIncompletion === undefined ? '' : `: ${reasonForIncompletion}`;
    return [
      {
        kind: 'ended',
        sentence: `The execution ended as ${status} at ${iso(endTime)}${because}.`,
        moves: status === 'COMPLETED' ? 'restart or rerun' : 'retry, rerun or restart',
        data: { endTime },
      },
    ];
  }
  const reasons: WaitReason[] = [];
  if (status === 'PAUSED') {
    reasons.push({
      kind: 'paused',
      sentence: 'The execution is paused: reports are stored, but nothing follows from them.',
      moves: `PUT /api/workflow/${execution.id}/resume`,
      ...until(workflowDeadline(execution)),
      data: {},
    });
  }
  if (open.parked !== undefined) {
    reasons.push({
      kind: 'script',
      sentence: 'A script is being evaluated.',
      moves: 'its result or its time limit',
      data: { script: open.parked },
    });
  } else if (open.isBusy) {
    reasons.push({
      kind: 'settling',
      sentence: 'The last change is still being worked off.',
      moves: 'the server goes on by itself',
      data: {},
    });
  }
  return reasons;
}

function openTaskReason(
  open: OpenExecution,
  task: Task,
  facts: QueueFacts,
  now: number,
): WaitReason {
  if (isWorkerTask(task)) {
    return task.status === 'SCHEDULED'
      ? scheduledWorker(open, task, facts, now)
      : leasedWorker(open, task, facts, now);
  }
  const runAt = deadlineOf(task, 'run');
  if (runAt > 0) return delayed(open, task, runAt, now);
  if (isServerTask(task)) return serverTask(open, task);
  return engineTask(open, task, now);
}

// ---- worker tasks ----

function scheduledWorker(
  open: OpenExecution,
  task: Task,
  facts: QueueFacts,
  now: number,
): WaitReason {
  const visibleAt = queueDelay(task, now);
  if (visibleAt > now) return delayed(open, task, visibleAt, now);
  const known = facts.attempt(task);
  const limits = attemptLimits(task);
  const queue = queueOf(task);
  const lastPollTime = facts.lastPollAt(queue);
  const data: JsonMap = { queue: nameOf(queue), lastPollTime };
  if (known?.ahead !== undefined) data['ahead'] = known.ahead;
  const limit = limits?.concurrentExecLimit ?? 0;
  if (limit > 0 && (known?.slotsUsed ?? 0) >= limit) {
    const holders = [...(known?.slotHolders ?? [])];
    return reason(open, task, 'concurrency-limit', {
      sentence: `${shown(task)} waits for a slot: ${known?.slotsUsed ?? limit} of at most ${limit} tasks of ${limits?.defName} are in state.`,
      moves: 'the end of one of the tasks that hold the slots',
      data: { ...data, concurrentExecLimit: limit, heldBy: holders },
    });
  }
  const opensAt = known?.rateOpensAt ?? 0;
  if (opensAt > now) {
    return reason(open, task, 'rate-limit', {
      sentence:
        `${shown(task)} waits for its rate window: at most ${limits?.rateLimitPerFrequency} in ` +
        `${limits?.rateLimitFrequencyInSeconds} s; it opens in ${opensAt - now} ms.`,
      moves: 'the window opens by itself',
      untilAt: opensAt,
      data: { ...data, opensInMs: opensAt - now },
    });
  }
  if (now - lastPollTime > pollFreshMs) {
    const since = lastPollTime === 0 ? 'has ever polled' : `has polled since ${iso(lastPollTime)}`;
    return reason(open, task, 'not-polled', {
      sentence: `${shown(task)} waits for a worker: none ${since} for ${described(queue)}.`,
      moves: `a worker that polls ${described(queue)}`,
      ...untilTimeout(task),
      data,
    });
  }
  return reason(open, task, 'queued', {
    sentence: `${shown(task)} is in the queue of ${described(queue)}${aheadText(known?.ahead)}; the last poll was at ${iso(lastPollTime)}.`,
    moves: 'the next poll of a worker',
    ...untilTimeout(task),
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
    sentence: `${shown(task)} is with ${worker} since ${iso(task.startAt)}, ${end}.`,
    moves: 'a report of that worker',
    ...until(earliest(leaseEndAt, timeoutOf(task))),
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

/** Waits out its start delay, its retry delay or what a worker asked for. */
function delayed(open: OpenExecution, task: Task, dueAt: number, now: number): WaitReason {
  const isRetry = task.retriedTaskNumber !== undefined && task.pollCount === 0;
  const what = isRetry
    ? `Attempt ${task.retryCount + 1} of ${shown(task)} is due`
    : task.pollCount > 0
      ? `${shown(task)} asked to be called back`
      : `${shown(task)} is to start`;
  return reason(open, task, isRetry ? 'retry-due' : 'delayed', {
    sentence: `${what} at ${iso(dueAt)}.`,
    moves: isWorkerTask(task) ? 'that moment, or POST resetcallbacks' : 'that moment',
    untilAt: dueAt,
    data: { dueInMs: Math.max(0, dueAt - now), retryCount: task.retryCount },
  });
}

// ---- tasks of the server and the engine ----

function serverTask(open: OpenExecution, task: Task): WaitReason {
  if (task.status === 'IN_PROGRESS' && task.config.asyncComplete) return external(open, task);
  return reason(open, task, 'server-run', {
    sentence: `${shown(task)} (${task.taskType}) is being carried out by the server.`,
    moves: 'its result',
    ...untilTimeout(task),
    data: { pollCount: task.pollCount },
  });
}

function external(open: OpenExecution, task: Task): WaitReason {
  return reason(open, task, 'external', {
    sentence: `${shown(task)} (${task.taskType}) has been sent off and waits to be completed from outside.`,
    moves: 'an update of the task',
    ...untilTimeout(task),
    data: {},
  });
}

function engineTask(open: OpenExecution, task: Task, now: number): WaitReason {
  switch (task.taskType) {
    case 'JOIN':
    case 'EXCLUSIVE_JOIN':
      return join(open, task);
    case 'DO_WHILE':
      return loop(open, task);
    case 'SUB_WORKFLOW':
      return child(open, task);
    case 'START_WORKFLOW':
      return startOrder(open, task);
    case 'WAIT':
      return wait(open, task, now);
    case 'HUMAN':
      return reason(open, task, 'person', {
        sentence: `${shown(task)} waits for a person.`,
        moves: 'completing the human task',
        ...untilTimeout(task),
        data: {},
      });
    case 'PULL_WORKFLOW_MESSAGES':
      return reason(open, task, 'message', {
        sentence: `${shown(task)} waits for a message to this execution.`,
        moves: `POST /api/workflow/${open.execution.id}/messages`,
        ...untilTimeout(task),
        data: {},
      });
    default:
      return signal(open, task);
  }
}

function signal(open: OpenExecution, task: Task): WaitReason {
  return reason(open, task, 'signal', {
    sentence: `${shown(task)} (${task.taskType}) waits for a signal or an update.`,
    moves: `POST /api/tasks/${open.execution.id}/COMPLETED/signal`,
    ...untilTimeout(task),
    data: {},
  });
}

function wait(open: OpenExecution, task: Task, now: number): WaitReason {
  const dueAt = deadlineOf(task, 'wait');
  if (dueAt === 0) return signal(open, task);
  return reason(open, task, 'timer', {
    sentence: `${shown(task)} waits until ${iso(task.waitUntilAt)}.`,
    moves: 'that moment, a signal or an update',
    untilAt: dueAt,
    data: { endsInMs: Math.max(0, dueAt - now) },
  });
}

/** References named in one sentence; all of them up to `refsMax` stand in the data. */
const refsNamedMax = 5;
const refsMax = 100;

function join(open: OpenExecution, task: Task): WaitReason {
  const refs = joinRefsOf(task);
  const waitingFor = refs.filter((ref) => !isDone(open, ref));
  const named = task.taskType === 'JOIN' ? 'branches' : 'alternatives';
  const isStuck = nothingElseRuns(open);
  const end = isStuck ? ' Nothing else is open, so that it will wait for good.' : '';
  return reason(open, task, 'branches', {
    sentence: `${shown(task)} waits for ${listed(waitingFor)}; ${refs.length - waitingFor.length} of ${refs.length} ${named} are done.${end}`,
    moves: isStuck
      ? 'an update of the task by hand, or ending the execution'
      : 'the end of those tasks',
    ...untilTimeout(task),
    data: {
      waitingFor: waitingFor.slice(0, refsMax),
      defaults: task.taskType === 'JOIN' ? [] : defaultJoinRefsOf(task),
      done: refs.length - waitingFor.length,
      branches: refs.length,
    },
  });
}

/** Only tasks that wait for others are open: nobody will bring what they wait for. */
function nothingElseRuns(open: OpenExecution): boolean {
  for (const task of open.openTasks) if (!waitsForOthers(task)) return false;
  return !open.isBusy && open.execution.state.status === 'RUNNING';
}

function isDone(open: OpenExecution, ref: string): boolean {
  const last = open.lastByRef(ref);
  return (
    last !== undefined &&
    isTerminalTask(last.status) &&
    (last.executed || last.status === 'SKIPPED')
  );
}

function loop(open: OpenExecution, task: Task): WaitReason {
  const node = open.nodeOf(task);
  const members: Json[] = [];
  for (const member of open.openTasks) {
    if (members.length === refsMax) break;
    if (member !== task && open.nodeOf(member)?.loop === node) members.push(member.ref);
  }
  return reason(open, task, 'loop', {
    sentence: `${shown(task)} is in iteration ${task.iteration} and waits for ${listed(members as string[])}.`,
    moves: 'the end of the iteration',
    ...untilTimeout(task),
    data: { iteration: task.iteration, waitingFor: members },
  });
}

function child(open: OpenExecution, task: Task): WaitReason {
  if (task.subWorkflowId === undefined) return startOrder(open, task);
  return reason(open, task, 'child', {
    sentence: `${shown(task)} waits for the end of the sub-workflow ${task.subWorkflowId}.`,
    moves: `what that execution waits for: GET /api/workflow/${task.subWorkflowId}/why`,
    ...untilTimeout(task),
    data: { subWorkflowId: task.subWorkflowId },
  });
}

function startOrder(open: OpenExecution, task: Task): WaitReason {
  const messageId = notesOf(task)['messageId'];
  return reason(open, task, 'start-order', {
    sentence: `${shown(task)} waits until the workflow that it starts has been created.`,
    moves: 'the answer to its order, which is repeated until it comes',
    ...untilTimeout(task),
    data: messageId === undefined ? {} : { messageId },
  });
}

function endedTask(open: OpenExecution, task: Task): WaitReason {
  const because = task.reason === undefined ? '' : `: ${task.reason}`;
  const next = task.retried ? open.lastByRef(task.ref) : undefined;
  const superseded =
    next === undefined ? '' : ` A newer attempt took its place: ${idOf(open, next)}.`;
  return reason(open, task, 'ended', {
    sentence: `${shown(task)} ended as ${task.status} at ${iso(task.endAt)}${because}.${superseded}`,
    moves: task.retried ? 'nothing, it is superseded' : 'a retry or rerun of the execution',
    data: {
      endTime: task.endAt,
      ...(next === undefined ? {} : { supersededBy: idOf(open, next) }),
    },
  });
}

// ---- parts of answers ----

function reason(
  open: OpenExecution,
  task: Task,
  kind: WaitKind,
  rest: Omit<WaitReason, 'kind' | 'taskId' | 'ref'>,
): WaitReason {
  return { kind, taskId: idOf(open, task), ref: task.ref, ...rest };
}

function idOf(open: OpenExecution, task: Task): string {
  return taskIdOf(open.execution.id, task.number);
}

function shown(task: Task): string {
  return `Task ${task.ref}`;
}

function described(queue: QueueName): string {
  return queue.domain === undefined
    ? `type ${queue.taskType}`
    : `type ${queue.taskType} in domain ${queue.domain}`;
}

/** As clients see it: `[domain:]taskType`. */
function nameOf(queue: QueueName): string {
  return queue.domain === undefined ? queue.taskType : `${queue.domain}:${queue.taskType}`;
}

function listed(refs: readonly string[]): string {
  if (refs.length === 0) return 'nothing more';
  const named = refs.slice(0, refsNamedMax).join(', ');
  return refs.length > refsNamedMax ? `${named} and ${refs.length - refsNamedMax} more` : named;
}

/** Moment at which the task times out by itself, 0 = never. */
function timeoutOf(task: Task): number {
  let at = 0;
  for (const kind of deadlineKinds) {
    if (kind !== 'wait' && kind !== 'run') at = earliest(at, deadlineOf(task, kind));
  }
  return at;
}

function untilTimeout(task: Task): { untilAt?: number } {
  return until(timeoutOf(task));
}

function until(at: number): { untilAt?: number } {
  return at > 0 ? { untilAt: at } : {};
}

function earliest(a: number, b: number): number {
  return a === 0 || b === 0 ? a + b : Math.min(a, b);
}

/** Moments beyond the calendar, which is as good as never, are shown as its end. */
function iso(at: number): string {
  return new Date(Math.min(at, calendarEndAt)).toISOString();
}
