// JOIN (semantics 4.4) and EXCLUSIVE_JOIN (4.6). A JOIN counts its references down and is evaluated
// once, when the last one has been settled; one with a script is evaluated whenever one is. Its
// output is not stored but derived from the branches.
import { reachesNothing } from '../reaches.js';
import type { Task } from '../../model/execution.js';
import { isMap, type Json, type JsonMap, setOwn } from '../../model/json.js';
import { toJsonText } from '../../model/json-text.js';
import { Payload } from '../../model/payload.js';
import { isSuccessfulTask, isTerminalTask, type TaskStatus } from '../../model/status.js';
import type { WorkflowTask } from '../../model/workflow-def.js';
import type { GraphNode } from '../compile.js';
import { taskPart } from '../decision.js';
import { outputOf } from '../derived-payloads.js';
import { documentOf } from '../execution-document.js';
import { taskIdIn } from '../ending.js';
import { evaluateTemplate } from '../expression/template.js';
import { toCondition } from '../expression/script-values.js';
import { isThrough, waitsForOthers, type OpenExecution } from '../open-execution.js';
import { endTask, setNotes } from '../records.js';
import { refInIteration } from '../references.js';
import { refuseSecretsIn } from '../secret-rules.js';
import type { ExecutionState, Transition } from '../transition.js';
import { listed, reason, refsMax, shown, untilTimeout, type WaitReason } from '../wait-reason.js';
import type { Site, TaskType } from './contract.js';
import { conditionType, retriedByHand } from './constructors.js';
import { beginRunning, createRunning, scriptFailure } from './inline-run.js';
import { chosenBranch } from './switch.js';

/** The common members of both types. */
const joining: Pick<TaskType, 'begin' | 'retry' | 'whyWaits'> = {
  begin(t, task) {
    beginRunning(t, task);
    if (t.open.isDue(task)) t.push({ kind: 'execute', task });
  },
  retry: { ...retriedByHand, failed: 'go-on' },
  whyWaits: whyJoins,
};

export const joinTask: TaskType = conditionType({
  ...joining,
  names: ['JOIN'],
  reaches: reachesNothing,
  role: 'join',
  map(t, site) {
    const task = createRunning(t, site, Payload.of(joinInput(t, site)), {
      defName: 'JOIN',
      notes: { derived: true },
    });
    if (t.open.isDue(task)) t.push({ kind: 'execute', task });
  },
  begin(t, task) {
    setNotes(t, task, { derived: true });
    joining.begin(t, task);
  },
  execute(t, task) {
    // The reference looks at a JOIN in a pass of its own.
    t.open.isFirstPass = false;
    return hasJoinScript(task.config) ? judgeByScript(t, task) : judge(t, task);
  },
  isDue: (open, task) => open.waitFor(task, joinRefsOf(task), hasJoinScript(task.config)),
  whilePaused(t, task) {
    if (!hasJoinScript(task.config) && isJoined(t.open, task)) judge(t, task);
  },
  waitsFor: joinRefsOf,
  retry: { ...joining.retry, cancelled: 'go-on' },
  derivedOutput: { of: joinOutput, member: () => undefined },
});

/**
 * joinOn as configured; for a dynamic fork its JOIN's parameters, unevaluated, and the last record
 * of each branch. Nothing of a fork that a caller has skipped will ever come, so that there is
 * nothing to wait for.
 */
function joinInput(t: Transition, site: Site): JsonMap {
  const { previous } = site.node;
  const fork =
    previous === undefined
      ? undefined
      : t.open.lastByRef(refInIteration(previous.ref, site.iteration));
  if (previous?.role !== 'dynamic-fork') {
    const isForkSkipped = previous?.role === 'fork' && fork?.status === 'SKIPPED';
    return { joinOn: isForkSkipped ? [] : configuredRefs(site) };
  }
  const heads = fork === undefined ? [] : t.open.nodes.branchHeads(fork);
  t.spend(heads.length / branchesPerItem);
  const refs = heads.map((head) => lastMappedRef(t, head, site.iteration));
  // Heads have different references; what follows them may be the same.
  const joinOn = heads.every(isLast) ? refs : [...new Set(refs)];
  return { ...site.config.inputParameters, joinOn };
}

/** joinOn as configured; without one a script is given the last task of each branch (4.4.9). */
function configuredRefs({ config, node }: Site): string[] {
  const { joinOn } = config;
  if (joinOn.length > 0 || !hasJoinScript(config)) return joinOn;
  const branches = node.previous?.config.forkTasks ?? [];
  return branches.flatMap((branch) => branch.at(-1)?.taskReferenceName ?? []);
}

/** Whether the branch has no other record. Only a DYNAMIC may turn out to be something else. */
function isLast(head: GraphNode): boolean {
  return head.role === 'plain' && head.config.type !== 'DYNAMIC';
}

/** Looking at so many branches takes as long as an item of the agenda. */
const branchesPerItem = 20;

/**
 * Reference of the last record made while a branch was mapped: that of its head, of what a SWITCH
 * chose, of a fork's JOIN. In a loop it has no suffix, like a configured one (observed).
 */
function lastMappedRef(t: Transition, head: GraphNode, iteration: number): string {
  if (isLast(head)) return head.ref;
  const ref = refInIteration(head.ref, head.loop === undefined ? 0 : iteration);
  const task = t.open.lastByRef(ref);
  const role = task === undefined ? undefined : t.open.types.of(task).role;
  if ((role === 'fork' || role === 'dynamic-fork') && head.next !== undefined) {
    return lastMappedRef(t, head.next, iteration);
  }
  if (task === undefined || role !== 'choice') return head.ref;
  const first = chosenBranch(task, head)?.[0];
  return first === undefined ? head.ref : lastMappedRef(t, first, iteration);
}

function judge(t: Transition, join: Task): ExecutionState {
  const branches: Task[] = [];
  const refs = joinRefsOf(join);
  t.spend(refs.length / branchesPerItem);
  for (const ref of refs) {
    const last = t.open.lastByRef(ref);
    if (last === undefined) return 'done';
    branches.push(last);
  }
  const allTerminal = branches.every((task) => isTerminalTask(task.status));
  if (branches.some((task) => isFailure(task, allTerminal))) {
    fail(t, join, branches);
    return 'done';
  }
  if (!allTerminal) return 'done';
  join.pollCount++;
  const erroneous = branches.filter((task) => task.status === 'COMPLETED_WITH_ERRORS');
  if (erroneous.length === 0) endTask(t, join, { status: 'COMPLETED' });
  else {
    const names = erroneous.map((task) => `${task.defName}/${taskIdIn(t, task)}`).join(' ');
    const reason = `${names} completed with errors`;
    endTask(t, join, { status: 'COMPLETED_WITH_ERRORS', reason });
  }
  return 'done';
}

function isFailure(task: Task, allTerminal: boolean): boolean {
  if (isSuccessfulTask(task.status) || task.config.optional) return false;
  return !task.config.permissive || allTerminal;
}

function fail(t: Transition, join: Task, branches: readonly Task[]): void {
  const failed = branches.filter((task) => !isSuccessfulTask(task.status));
  const required = failed.filter((task) => !task.config.optional);
  const status: TaskStatus = required.every((task) => task.status === 'CANCELED')
    ? 'CANCELED'
    : 'FAILED';
  const reason = failed.flatMap((task) => task.reason ?? []).join(' ');
  join.pollCount++;
  endTask(t, join, { status, reason });
}

/**
 * Script of its own (semantics 4.4.9): true completes, an object says how, anything else waits for
 * the next change.
 */
function judgeByScript(t: Transition, join: Task): ExecutionState {
  const source = join.config.expression ?? '';
  const result = t.ask(`join:${join.number}`, () => ({
    language: 'javascript',
    source,
    input: () => scriptInput(t, join),
  }));
  if (result === undefined) return 'parked';
  join.pollCount++;
  t.touch(join, taskPart.record);
  if (result.kind !== 'value') {
    endTask(t, join, { status: 'FAILED', reason: scriptFailure(result) ?? '' });
    return 'done';
  }
  const verdict = result.value;
  if (toCondition(verdict)) {
    endByScript(t, join, { status: 'COMPLETED', outputData: outputOf(t.open, join).value });
  } else if (isMap(verdict)) endByScript(t, join, verdict);
  return 'done';
}

const scriptStatuses: ReadonlySet<string> = new Set([
  'COMPLETED', 'COMPLETED_WITH_ERRORS', 'FAILED', 'FAILED_WITH_TERMINAL_ERROR', 'TIMED_OUT', 'CANCELED',
]); // prettier-ignore

function endByScript(t: Transition, join: Task, verdict: JsonMap): void {
  const { status, reasonForIncompletion, outputData } = verdict;
  if (typeof status !== 'string' || !scriptStatuses.has(status)) return;
  const joinOn = join.input.value['joinOn'] ?? [];
  const output = Payload.of({ ...(isMap(outputData) ? outputData : {}), joinOn });
  setNotes(t, join, { derived: undefined });
  endTask(t, join, {
    status: status as TaskStatus,
    output,
    ...(typeof reasonForIncompletion === 'string' ? { reason: reasonForIncompletion } : {}),
  });
}

function scriptInput(t: Transition, join: Task): Json {
  const node = t.open.nodes.of(join);
  const parameters = node === undefined ? {} : evaluateTemplate(node.input, documentOf(t));
  if (t.context.secrets !== undefined) refuseSecretsIn(toJsonText(parameters), 'JOIN');
  const input: JsonMap = { ...(isMap(parameters) ? parameters : {}) };
  input['joinOn'] = join.input.value['joinOn'] ?? [];
  for (const ref of joinRefsOf(join)) {
    const last = t.open.lastByRef(ref);
    if (last === undefined) continue;
    setOwn(input, ref, {
      status: last.status,
      outputData: outputOf(t.open, last).value,
      reasonForIncompletion: last.reason ?? null,
      referenceTaskName: last.ref,
    });
  }
  return input;
}

export const exclusiveJoinTask: TaskType = conditionType({
  ...joining,
  names: ['EXCLUSIVE_JOIN'],
  reaches: reachesNothing,
  role: 'exclusive-join',
  map(t, site) {
    const { joinOn, defaultExclusiveJoinTask } = site.config;
    const input = Payload.of({ joinOn, defaultExclusiveJoinTask });
    const task = createRunning(t, site, input, { defName: 'EXCLUSIVE_JOIN' });
    if (t.open.isDue(task)) t.push({ kind: 'execute', task });
  },
  execute(t, task) {
    const refs = joinRefsOf(task);
    const candidate = firstExisting(t, refs);
    if (candidate !== undefined && isTerminalTask(candidate.status)) {
      if (endByCandidate(t, task, candidate, refs)) return 'done';
    }
    const fallback = firstExisting(t, defaultJoinRefsOf(task));
    if (fallback !== undefined && isTerminalTask(fallback.status)) {
      endByCandidate(t, task, fallback, refs);
    }
    return 'done';
  },
  isDue(open, task) {
    const refs = [...joinRefsOf(task), ...defaultJoinRefsOf(task)];
    open.waitFor(task, refs, true);
    return refs.some((ref) => {
      const last = open.lastByRef(ref);
      return last !== undefined && isThrough(last);
    });
  },
  waitsFor: (task) => [...joinRefsOf(task), ...defaultJoinRefsOf(task)],
});

function firstExisting(t: Transition, refs: readonly string[]): Task | undefined {
  for (const ref of refs) {
    const last = t.open.lastByRef(ref);
    if (last !== undefined && last.status !== 'SKIPPED') return last;
  }
  return undefined;
}

/** False when a permissive failure has to wait for the others. */
function endByCandidate(
  t: Transition,
  join: Task,
  candidate: Task,
  refs: readonly string[],
): boolean {
  if (isSuccessfulTask(candidate.status)) {
    endTask(t, join, { status: 'COMPLETED', output: outputOf(t.open, candidate) });
    return true;
  }
  const allTerminal = refs.every((ref) => {
    const last = t.open.lastByRef(ref);
    return last === undefined || isTerminalTask(last.status);
  });
  if (!isFailure(candidate, allTerminal) && !candidate.config.optional) return false;
  endTask(t, join, {
    status: 'FAILED',
    ...(candidate.reason === undefined ? {} : { reason: candidate.reason }),
  });
  return true;
}

/** References a JOIN waits for, with the suffix of its iteration (semantics 4.4.2). */
function joinRefsOf(join: Task): readonly string[] {
  const joinOn = join.input.value['joinOn'];
  return refsOf(Array.isArray(joinOn) ? joinOn : join.config.joinOn, join.iteration);
}

/** References an EXCLUSIVE_JOIN falls back to (semantics 4.6). */
function defaultJoinRefsOf(join: Task): readonly string[] {
  return refsOf(join.config.defaultExclusiveJoinTask, join.iteration);
}

function refsOf(names: readonly unknown[], iteration: number): readonly string[] {
  if (iteration === 0 && names.every(isText)) return names;
  const suffix = `__${iteration}`;
  const refs: string[] = [];
  for (const name of names) {
    if (typeof name !== 'string') continue;
    refs.push(iteration > 0 && !name.endsWith(suffix) ? name + suffix : name);
  }
  return refs;
}

function isText(name: unknown): name is string {
  return typeof name === 'string';
}

/** JOIN with a script of its own (semantics 4.4.9). */
function hasJoinScript({ expression, evaluatorType }: WorkflowTask): boolean {
  return (
    expression !== undefined &&
    expression !== '' &&
    evaluatorType !== undefined &&
    evaluatorType !== 'value-param'
  );
}

function isJoined(open: OpenExecution, join: Task): boolean {
  return joinRefsOf(join).every((ref) => {
    const last = open.lastByRef(ref);
    return last !== undefined && isTerminalTask(last.status) && isSuccessfulTask(last.status);
  });
}

/**
 * Outputs of the joined references that have one (semantics 4.4.3); in loops the keys carry the
 * suffix.
 */
function joinOutput(open: OpenExecution, join: Task): JsonMap {
  const output: JsonMap = {};
  for (const ref of joinRefsOf(join)) {
    const last = open.lastByRef(ref);
    // Nobody looks at a JOIN after a TERMINATE (observed).
    if (last === undefined || open.types.of(last).role === 'end') continue;
    const branch = outputOf(open, last);
    if (!branch.isEmpty) setOwn(output, ref, branch.value);
  }
  return output;
}

function whyJoins(open: OpenExecution, task: Task): WaitReason {
  const refs = joinRefsOf(task);
  const waitingFor = refs.filter((ref) => !isDone(open, ref));
  const isExclusive = task.taskType === 'EXCLUSIVE_JOIN';
  const named = isExclusive ? 'alternatives' : 'branches';
  const isStuck = nothingElseRuns(open);
  const end = isStuck ? ' Nothing else is open, so that it will wait for good.' : '';
  return reason(open, task, 'branches', {
    reason: `${shown(task)} waits for ${listed(waitingFor)}; ${refs.length - waitingFor.length} of ${refs.length} ${named} are done.${end}`,
    moves: isStuck
      ? 'an update of the task by hand, or ending the execution'
      : 'the end of those tasks',
    ...untilTimeout(open, task),
    data: {
      waitingFor: waitingFor.slice(0, refsMax),
      defaults: isExclusive ? [...defaultJoinRefsOf(task)] : [],
      done: refs.length - waitingFor.length,
      branches: refs.length,
    },
  });
}

/** Only tasks that wait for others are open: nobody will bring what they wait for. */
function nothingElseRuns(open: OpenExecution): boolean {
  for (const task of open.openTasks) if (!waitsForOthers(open, task)) return false;
  return !open.isBusy && open.execution.state.status === 'RUNNING';
}

function isDone(open: OpenExecution, ref: string): boolean {
  const last = open.lastByRef(ref);
  return last !== undefined && isThrough(last);
}
