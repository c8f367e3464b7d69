// What an ended execution of the torture load must show (invariants I2, I3, I4, I11, I12): one
// history without gaps, in which every acknowledged report stands, and nothing that was not
// reported.
import type { WireTask, WireWorkflow } from '../../testkit/wire.js';
import { wasGivenBack } from './check-hand-outs.js';
import type { HandOutRecord, ReportRecord } from './journal.js';
import { loopRounds, waitMs } from './load-definitions.js';

/** What the clients know of one execution's tasks. */
export interface KnownTasks {
  readonly reportsOf: (taskId: string) => readonly ReportRecord[];
  readonly handOutsOf: (taskId: string) => readonly HandOutRecord[];
}

/** One sentence per violation. */
export function checkExecution(
  workflow: WireWorkflow,
  endsAs: string,
  known: KnownTasks,
): string[] {
  const found: string[] = [];
  const wrong = (text: string): void => {
    found.push(`${workflow.workflowName} ${workflow.workflowId}: ${text}`);
  };
  if (workflow.status !== endsAs) {
    const { status, reasonForIncompletion = 'none' } = workflow;
    wrong(`ended as ${status}, not ${endsAs}; reason: ${reasonForIncompletion}`);
  }
  checkOrder(workflow.tasks, known, wrong);
  for (const attempts of attemptsByRef(workflow.tasks).values()) checkAttempts(attempts, wrong);
  for (const task of workflow.tasks) {
    checkReports(task, known, wrong);
    checkLink(task, workflow, wrong);
    checkWait(task, wrong);
    checkJoin(task, workflow, wrong);
  }
  checkCompleteness(workflow, wrong);
  return found;
}

type Wrong = (text: string) => void;

function checkOrder(tasks: readonly WireTask[], known: KnownTasks, wrong: Wrong): void {
  if (new Set(tasks.map((task) => task.taskId)).size !== tasks.length)
    wrong('a task id stands twice');
  tasks.slice(1).forEach((task, i) => {
    if (task.seq <= (tasks[i]?.seq ?? 0)) wrong(`seq ${task.seq} follows ${tasks[i]?.seq}`);
  });
  for (const task of tasks) {
    const isOpen = task.status === 'SCHEDULED' || task.status === 'IN_PROGRESS';
    if (isOpen)
      wrong(`${task.referenceTaskName} is still ${task.status}: ${describeOpen(task, known)}`);
  }
}

function describeOpen(task: WireTask, known: KnownTasks): string {
  const { taskId, retryCount, pollCount, scheduledTime, startTime, workerId = 'no worker' } = task;
  const when = (at: number): string => (at === 0 ? 'never' : new Date(at).toISOString());
  const seen = known.handOutsOf(taskId).map(({ receivedAt, report }) => {
    const told = report === undefined ? 'not reported' : `${report.status} ${report.outcome}`;
    return `received ${when(performance.timeOrigin + receivedAt)}, ${told}`;
  });
  return (
    `${taskId}, attempt ${retryCount}, ${pollCount} polls by ${workerId}, scheduled ` +
    `${when(scheduledTime)}, started ${when(startTime)}; ${seen.join('; ') || 'never received'}`
  );
}

function attemptsByRef(tasks: readonly WireTask[]): Map<string, WireTask[]> {
  const groups = new Map<string, WireTask[]>();
  for (const task of tasks) {
    const group = groups.get(task.referenceTaskName);
    if (group === undefined) groups.set(task.referenceTaskName, [task]);
    else group.push(task);
  }
  return groups;
}

/** Attempts of one reference: numbered without gap, all but the last failed and retried. */
function checkAttempts(attempts: readonly WireTask[], wrong: Wrong): void {
  attempts.forEach((task, i) => {
    const name = `${task.referenceTaskName} attempt ${i}`;
    if (task.retryCount !== i) wrong(`${name} has retryCount ${task.retryCount}`);
    if (i === attempts.length - 1) return;
    if (task.status !== 'FAILED' && task.status !== 'TIMED_OUT') {
      wrong(`${name} is ${task.status} and was followed by another attempt`);
    }
    if (!task.retried) wrong(`${name} is not marked as retried`);
  });
}

/** Acknowledged reports stand in the record; what stands in the record was reported. */
function checkReports(task: WireTask, known: KnownTasks, wrong: Wrong): void {
  const reports = known.reportsOf(task.taskId).filter(({ status }) => status !== 'IN_PROGRESS');
  const marker = task.outputData['marker'];
  const name = `${task.referenceTaskName} (${task.taskId})`;
  const isWorkers = task.taskType.startsWith('torture_');
  if (isWorkers && task.status === 'COMPLETED') {
    const source = reports.find((report) => report.marker === marker);
    if (source === undefined) wrong(`${name} is COMPLETED with ${String(marker)}, never reported`);
  }
  const standing = reports.find(
    (report) => report.status === task.status && report.marker === marker,
  );
  for (const report of reports) {
    if (report.outcome !== 'acknowledged' || report === standing) continue;
    if (task.status === 'TIMED_OUT' && wasLate(report, known)) continue;
    if (standing !== undefined && cameSecond(report, standing, known)) continue;
    wrong(
      `${name} is ${task.status} with ${String(marker)}, but ${report.status} with ` +
        `${report.marker} was acknowledged`,
    );
  }
}

/**
 * A report that came when its lease may have been over is answered with success and changes
 * nothing.
 */
function wasLate(report: ReportRecord, known: KnownTasks): boolean {
  const handOut = known.handOutsOf(report.taskId).find((candidate) => candidate.report === report);
  if (handOut === undefined || report.acknowledgedAt === undefined) return false;
  return report.acknowledgedAt > handOut.askedAt + handOut.leaseMs - 500;
}

/**
 * Whether the report may have come after the one that stands, from the other of two workers that
 * had the attempt at once. Both may have it only because an IN_PROGRESS report was repeated
 * (`wasGivenBack`). The first of their reports ends the attempt; the second is answered with
 * success and changes nothing (semantics 2.7.3). A report that was acknowledged before the standing
 * one was sent came first: it was overwritten.
 */
function cameSecond(report: ReportRecord, standing: ReportRecord, known: KnownTasks): boolean {
  if (report.acknowledgedAt === undefined) return false;
  if (standing.firstSentAt >= report.acknowledgedAt) return false;
  const all = known.handOutsOf(report.taskId);
  const [earlier, later] = all
    .filter((handOut) => handOut.report === report || handOut.report === standing)
    .toSorted((a, b) => a.receivedAt - b.receivedAt);
  return earlier !== undefined && later !== undefined && wasGivenBack(all, earlier, later);
}

/**
 * A task was given the marker that its predecessor had ended with before; every worker's task was
 * given the number of the start.
 */
function checkLink(task: WireTask, workflow: WireWorkflow, wrong: Wrong): void {
  const { of, previous, start } = task.inputData;
  if (task.taskType.startsWith('torture_') && start !== workflow.input['start']) {
    wrong(`${task.referenceTaskName} was given the start ${String(start)}`);
  }
  if (typeof of !== 'string') return;
  const round = /__\d+$/.exec(task.referenceTaskName)?.[0] ?? '';
  const source = workflow.tasks.findLast((other) => other.referenceTaskName === of + round);
  if (source === undefined || source.outputData['marker'] !== previous) {
    wrong(
      `${task.referenceTaskName} was given ${String(previous)}, ` +
        `${of}${round} ended with ${String(source?.outputData['marker'])}`,
    );
  } else if (source.seq > task.seq) {
    wrong(`${task.referenceTaskName} was scheduled before ${of}${round} had ended`);
  }
}

function checkWait(task: WireTask, wrong: Wrong): void {
  if (task.taskType !== 'WAIT' || task.status !== 'COMPLETED') return;
  const waitedMs = task.endTime - task.scheduledTime;
  if (waitedMs < waitMs) wrong(`${task.referenceTaskName} waited ${waitedMs} ms, not ${waitMs}`);
}

/** A join shows the markers of the branches as they ended. */
function checkJoin(task: WireTask, workflow: WireWorkflow, wrong: Wrong): void {
  if (task.taskType !== 'JOIN') return;
  const joined = Object.entries(task.outputData);
  if (joined.length === 0) wrong('the join has no output');
  for (const [ref, output] of joined) {
    const branch = workflow.tasks.findLast((other) => other.referenceTaskName === ref);
    const marker = (output as { marker?: unknown }).marker;
    if (branch?.outputData['marker'] !== marker)
      wrong(`the join shows ${String(marker)} of ${ref}`);
  }
}

/** Exactly the references that the definition leads to were carried out, each once. */
function checkCompleteness(workflow: WireWorkflow, wrong: Wrong): void {
  const done = workflow.tasks
    .filter((task) => task.taskType.startsWith('torture_') && task.status === 'COMPLETED')
    .map((task) => task.referenceTaskName)
    .sort();
  const expected = expectedRefs(workflow).sort();
  if (done.join() !== expected.join()) wrong(`carried out ${done.join()}, not ${expected.join()}`);
}

function expectedRefs(workflow: WireWorkflow): string[] {
  const rounds = Array.from({ length: loopRounds }, (_, i) => i + 1);
  switch (workflow.workflowName) {
    case 'torture_limits':
    case 'torture_paces':
      return ['f1', 'f2', 'f3', 'last'];
    case 'torture_child':
      return ['c1', 'c2'];
    case 'torture_chain':
      return ['t1', 't2', 't3', 't4', 't5'];
    case 'torture_fork':
      return ['a1', 'a2', 'b1', 'd1', 'd2', 'last'];
    case 'torture_dynamic': {
      const items = workflow.input['items'] as unknown[];
      return [...items.map((_, i) => `_torture_steady_${i}`), 'last'];
    }
    case 'torture_loop':
      return [...rounds.flatMap((round) => [`round__${round}`, `second__${round}`]), 'last'];
    case 'torture_retries':
      return ['r1', 'r2', 'r3'];
    case 'torture_switch':
      return ['first', workflow.input['side'] === 'left' ? 'left' : 'right', 'last'];
    case 'torture_doomed':
      return ['first'];
    default:
      return ['first', 'last'];
  }
}
