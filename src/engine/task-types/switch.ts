// SWITCH (semantics 4.7) and DECISION (4.8): the branch is chosen while the task is scheduled and
// is fixed then; the first task of the branch follows in the same mapping.
import { reachesNothing } from '../reaches.js';
import type { Task } from '../../model/execution.js';
import { type Json, type JsonMap, ownValue } from '../../model/json.js';
import { Payload } from '../../model/payload.js';
import type { GraphNode } from '../compile.js';
import { taskPart } from '../decision.js';
import { failExecution } from '../ending.js';
import { scriptReads } from '../expression/script-reads.js';
import { toCaseText } from '../expression/script-values.js';
import { plainInput } from '../mapping.js';
import { closeTask, removeTask } from '../records.js';
import type { ScriptResult } from '../script.js';
import type { Transition } from '../transition.js';
import type { Site, TaskType } from './contract.js';
import { checkCases, checkScript, required } from './checks.js';
import { inlineType, rerunEvaluated, retriedByHand } from './constructors.js';
import { createRunning, isJavascript, scriptFailure } from './inline-run.js';

/** The common members of both types. */
const choice: Pick<TaskType, 'role' | 'nest' | 'successor' | 'retry' | 'rerun'> = {
  role: 'choice',
  nest(node, compile) {
    const { config, loop } = node;
    const place = { after: node.next, loop };
    node.cases = new Map(
      Object.entries(config.decisionCases).map(([key, tasks]) => [key, compile(tasks, place)]),
    );
    node.defaultCase = compile(config.defaultCase, place);
  },
  successor(_t, task, node) {
    const branch = task.status === 'COMPLETED' ? chosenBranch(task, node) : undefined;
    return branch?.[0] ?? node.next;
  },
  retry: retriedByHand,
  rerun: rerunEvaluated,
};

export const switchTask: TaskType = inlineType({
  ...choice,
  names: ['SWITCH'],
  reaches: reachesNothing,
  check(config, rules) {
    const { evaluatorType, expression } = config;
    const broken = checkCases(config);
    if (evaluatorType === undefined) return [...broken, required(config, 'evaluatorType')];
    if (expression === undefined) return [...broken, required(config, 'expression')];
    if (evaluatorType !== 'javascript') return broken;
    return [...broken, ...checkScript(config, expression, rules)];
  },
  map(t, site) {
    const evaluator = site.config.evaluatorType ?? '';
    if (evaluator !== 'value-param' && !isJavascript(evaluator)) {
      const reason = `No evaluator registered for type: ${evaluator}`;
      failExecution(t, { status: 'FAILED', reason });
      return;
    }
    mapChoice(t, site, 'SWITCH');
  },
  execute(t, task) {
    const { expression = '', evaluatorType } = task.config;
    if (evaluatorType === 'value-param') {
      chooseCase(t, task, ownValue(task.input.value, expression) ?? null);
      return 'done';
    }
    const result = askFor(t, task, expression);
    if (result === undefined) return 'parked';
    if (result.kind === 'value') chooseCase(t, task, result.value);
    else failChoice(t, task, scriptFailure(result) ?? '');
    return 'done';
  },
});

export const decisionTask: TaskType = inlineType({
  ...choice,
  names: ['DECISION'],
  reaches: reachesNothing,
  check(config, rules) {
    const { caseValueParam, caseExpression } = config;
    const isUndecided = caseValueParam === undefined && caseExpression === undefined;
    return [
      ...(isUndecided ? [required(config, 'caseValueParam or caseExpression')] : []),
      ...checkCases(config),
      ...(caseExpression === undefined ? [] : checkScript(config, caseExpression, rules)),
    ];
  },
  map(t, site) {
    mapChoice(t, site, 'DECISION');
  },
  execute(t, task) {
    const { caseExpression, caseValueParam } = task.config;
    if (caseExpression === undefined || caseExpression.trim() === '') {
      chooseCase(t, task, task.input.value[caseValueParam ?? ''] ?? null);
      return 'done';
    }
    const result = askFor(t, task, caseExpression);
    if (result === undefined) return 'parked';
    if (result.kind === 'value') {
      chooseCase(t, task, result.value);
      return 'done';
    }
    removeTask(t, task);
    const reason = `Error while evaluating script: ${caseExpression}`;
    failExecution(t, { status: 'FAILED', reason });
    return 'done';
  },
});

/** The record runs right after it is made, before the next branch of a surrounding fork. */
function mapChoice(t: Transition, site: Site, taskType: string): void {
  const task = createRunning(t, site, plainInput(t, site, false), { defName: taskType });
  t.pushFirst({ kind: 'execute', task });
}

function askFor(t: Transition, task: Task, source: string): ScriptResult | undefined {
  const reads = scriptReads(source);
  return t.ask(`case:${task.number}`, () => ({
    language: 'javascript',
    source,
    input: () => task.input.value,
    ...(reads === undefined ? {} : { reads }),
  }));
}

/** In-line tasks that are made beside it run before it ends the execution (observed). */
function failChoice(t: Transition, task: Task, reason: string): void {
  closeTask(t, task, { status: 'FAILED', reason });
  t.push({ kind: 'settle', task, nextRound: true });
}

/**
 * Records the choice. The branch follows at once; without one, what comes after the SWITCH follows
 * as after any other in-line task: in a fork behind the JOIN (observed).
 */
function chooseCase(t: Transition, task: Task, value: Json): void {
  const text = toCaseText(value);
  const isDecision = task.taskType === 'DECISION';
  const node = t.open.nodes.of(task);
  const branch = node === undefined ? [] : branchOf(node, text, isDecision);
  const input: JsonMap = { ...(isDecision ? {} : task.input.value), case: text };
  if (branch.length > 0) input['hasChildren'] = 'true';
  task.input = Payload.of(input);
  const output: JsonMap = isDecision
    ? { caseOutput: [text] }
    : { evaluationResult: [text], selectedCase: text };
  closeTask(t, task, { status: 'COMPLETED', output: Payload.of(output) });
  t.touch(task, taskPart.input);
  if (branch.length > 0) t.pushFirst({ kind: 'settle', task });
  else t.push({ kind: 'settle', task, nextRound: true });
}

/** The branch that a record chose; undefined or empty: the flow goes on after the SWITCH. */
export function chosenBranch(task: Task, node: GraphNode): readonly GraphNode[] | undefined {
  const text = task.input.value['case'];
  return typeof text === 'string' ? branchOf(node, text, task.taskType === 'DECISION') : undefined;
}

/** An empty case counts for SWITCH and means the default for DECISION. */
function branchOf(node: GraphNode, text: string, isDecision: boolean): readonly GraphNode[] {
  const branch = node.cases.get(text);
  if (branch === undefined || (isDecision && branch.length === 0)) return node.defaultCase;
  return branch;
}
