// DO_WHILE (semantics 4.9): one record for the whole loop, members named `ref__N`. It is evaluated
// when every member of the current iteration has been settled, so the cost of an iteration does not
// depend on how many came before; its output is derived from the members' records when it is read
// (derived-payloads.ts).
//
// Notes of the record: `derived`, and with items `item` (the current element). The number of the
// current iteration is the record's own `iteration`, 0 before the first.
import { reachesNothing } from '../reaches.js';
import type { Task } from '../../model/execution.js';
import { isMap, type Json, type JsonMap, ownValue, setOwn } from '../../model/json.js';
import { numberFrom } from '../../model/json-text.js';
import type { GraphNode } from '../compile.js';
import { taskPart } from '../decision.js';
import { outputMember, outputOf } from '../derived-payloads.js';
import type { OpenExecution } from '../open-execution.js';
import { failExecution, taskIdIn } from '../ending.js';
import { documentOf } from '../execution-document.js';
import { scriptReads } from '../expression/script-reads.js';
import { toCondition } from '../expression/script-values.js';
import { evaluateInput } from '../expression/task-input.js';
import { evaluateTemplate } from '../expression/template.js';
import { inputWithTemplate } from '../mapping.js';
import { endTask, removeTask, setNotes } from '../records.js';
import { notesOf } from '../notes.js';
import { plainRefOf, refInIteration } from '../references.js';
import type { ExecutionState, Transition } from '../transition.js';
import { listed, reason, refsMax, shown, untilTimeout, type WaitReason } from '../wait-reason.js';
import { isGiven, required } from './checks.js';
import type { TaskType } from './contract.js';
import { conditionType, rerunWithTemplate, retriedByHand } from './constructors.js';
import { beginInline, createRunning, scriptFailure } from './inline-run.js';

export const doWhileTask: TaskType = conditionType({
  names: ['DO_WHILE'],
  reaches: reachesNothing,
  role: 'loop',
  check(config) {
    const { items, inputParameters, loopCondition } = config;
    const overItems =
      items !== undefined ||
      isGiven(inputParameters['_items']) ||
      isGiven(inputParameters['items']);
    return [
      ...(loopCondition === undefined && !overItems ? [required(config, 'loopCondition')] : []),
      ...(config.loopOver.length === 0 ? [required(config, 'loopOver')] : []),
    ];
  },
  nest(node, compile) {
    node.branches = [compile(node.config.loopOver, { after: undefined, loop: node })];
  },
  inputOf: inputWithTemplate,
  map(t, site) {
    if (site.node.loop !== undefined) {
      const reason = `A loop inside a loop is not supported: put ${site.config.taskReferenceName} into a sub-workflow`;
      failExecution(t, { status: 'FAILED', reason });
      return;
    }
    const task = createRunning(t, site, inputWithTemplate(t, site), { notes: { derived: true } });
    const def = site.config.taskDefinition;
    task.rateLimitPerFrequency = def?.rateLimitPerFrequency ?? 0;
    task.rateLimitFrequencyInSeconds = def?.rateLimitFrequencyInSeconds ?? 0;
    t.push({ kind: 'execute', task });
  },
  /**
   * After a reset or a retry the loop goes on where its records stand; without members it starts at
   * iteration 1.
   */
  begin(t, task) {
    setNotes(t, task, { derived: true });
    beginInline(t, task);
  },
  execute(t, task) {
    const node = t.open.nodes.of(task);
    const first = node?.branches[0]?.[0];
    if (node === undefined || first === undefined) {
      endTask(t, task, { status: 'COMPLETED' });
      return 'done';
    }
    const loop: Loop = { task, node, first };
    if (task.iteration === 0) return begin(t, loop);
    if (t.open.lastByRef(refInIteration(first.ref, task.iteration)) === undefined) {
      return scheduleIteration(t, loop);
    }
    if (t.open.unsettledMembers(task) > 0) return 'done';
    return endIteration(t, loop);
  },
  isDue: (open, task) => open.unsettledMembers(task) === 0,
  retry: { ...retriedByHand, failed: 'go-on', cancelled: 'go-on' },
  rerun: rerunWithTemplate,
  derivedOutput: { of: loopOutput, member: loopCounter },
  whyWaits: whyLoops,
});

/**
 * Sets a loop back to an iteration whose members stay, or to before the first (0), because a
 * control operation has removed later ones.
 */
export function rewindLoop(t: Transition, task: Task, iteration: number): void {
  const node = t.open.nodes.of(task);
  const first = node?.branches[0]?.[0];
  task.iteration = iteration;
  t.touch(task, taskPart.record);
  if (node === undefined || first === undefined || notesOf(task)['item'] === undefined) return;
  const items = itemsOf(t, { task, node, first });
  setNotes(t, task, { item: iteration === 0 ? undefined : (items?.[iteration - 1] ?? null) });
}

interface Loop {
  readonly task: Task;
  readonly node: GraphNode;
  /** First member of the body. */
  readonly first: GraphNode;
}

function begin(t: Transition, loop: Loop): ExecutionState {
  const items = itemsOf(t, loop);
  if (items?.length === 0) {
    endTask(t, loop.task, { status: 'COMPLETED' });
    return 'done';
  }
  return startIteration(t, loop, 1, items);
}

function startIteration(
  t: Transition,
  loop: Loop,
  iteration: number,
  items: readonly Json[] | undefined,
): ExecutionState {
  const { task } = loop;
  task.iteration = iteration;
  if (items !== undefined) setNotes(t, task, { item: items[iteration - 1] ?? null });
  task.updateAt = t.now;
  t.touch(task, taskPart.record);
  return scheduleIteration(t, loop);
}

function scheduleIteration(t: Transition, loop: Loop): ExecutionState {
  t.pushFirst({ kind: 'map', node: loop.first, iteration: loop.task.iteration });
  return 'done';
}

/** The iteration is complete: go on with the next one or end the loop. */
function endIteration(t: Transition, loop: Loop): ExecutionState {
  const { task } = loop;
  const items = itemsOf(t, loop);
  const isLast = items !== undefined && task.iteration >= items.length;
  let goesOn = items !== undefined && !isLast;
  const condition = task.config.loopCondition ?? '';
  if (condition.trim() !== '' && !isLast) {
    const verdict = judgeCondition(t, loop, condition, items);
    if (verdict === undefined) return 'parked';
    if (typeof verdict === 'string') {
      endTask(t, task, {
        status: 'FAILED_WITH_TERMINAL_ERROR',
        reason: `Unable to evaluate condition ${condition}, exception ${verdict}`,
      });
      return 'done';
    }
    goesOn = verdict;
  }
  removeOldIterations(t, loop);
  if (goesOn) return startIteration(t, loop, task.iteration + 1, items);
  endTask(t, task, { status: 'COMPLETED' });
  return 'done';
}

/** undefined: parked. A text: the script failed with it. */
function judgeCondition(
  t: Transition,
  loop: Loop,
  condition: string,
  items: readonly Json[] | undefined,
): boolean | string | undefined {
  const { task } = loop;
  if (task.config.evaluatorType === 'value-param') {
    return toCondition(inputNow(t, loop)[condition] ?? null);
  }
  const reads = scriptReads(condition);
  const result = t.ask(`loop:${task.number}:${task.iteration}`, () => ({
    language: 'javascript',
    source: condition,
    input: () => conditionInput(t, loop, reads, items),
    ...(reads === undefined ? {} : { reads }),
  }));
  if (result === undefined) return undefined;
  return result.kind === 'value' ? toCondition(result.value) : (scriptFailure(result) ?? '');
}

/**
 * `$` of the condition: the evaluated parameters, the loop's output under its reference, the
 * members' newest outputs under theirs. With `reads` only what the script names is built.
 */
function conditionInput(
  t: Transition,
  loop: Loop,
  reads: readonly string[] | undefined,
  items: readonly Json[] | undefined,
): JsonMap {
  const { task } = loop;
  const input: JsonMap = { ...inputNow(t, loop) };
  if (items !== undefined) {
    input['loopIndex'] = task.iteration - 1;
    input['loopItem'] = notesOf(task)['item'] ?? null;
  }
  if (reads === undefined) return addEverything(t, loop, input);
  for (const read of reads) {
    const dot = read.indexOf('.');
    const name = dot < 0 ? read : read.slice(0, dot);
    if (name === loop.node.ref)
      addLoopOutput(t, loop, input, dot < 0 ? undefined : read.slice(dot + 1));
    else {
      const member = t.open.lastByPlainRef(name);
      if (member === undefined || t.open.nodes.of(member)?.loop !== loop.node) continue;
      setOwn(input, name, outputOf(t.open, member).value);
    }
  }
  return input;
}

function addLoopOutput(t: Transition, loop: Loop, input: JsonMap, inner: string | undefined): void {
  const { ref } = loop.node;
  const own = inner === undefined ? undefined : outputMember(t.open, loop.task, inner);
  if (inner === undefined || own === undefined) {
    setOwn(input, ref, outputOf(t.open, loop.task).value);
    return;
  }
  const before = ownValue(input, ref);
  const output = isMap(before) ? before : {};
  // A whole output that another read asked for has this member already.
  setOwn(input, ref, Object.hasOwn(output, inner) ? output : { ...output, [inner]: own });
}

function addEverything(t: Transition, loop: Loop, input: JsonMap): JsonMap {
  const output = outputOf(t.open, loop.task).value;
  setOwn(input, loop.node.ref, output);
  const members = output[loop.task.iteration];
  return typeof members === 'object' ? { ...input, ...(members as JsonMap) } : input;
}

/** The parameters as they evaluate now (semantics 3.1). */
function inputNow(t: Transition, loop: Loop): JsonMap {
  const { task, node } = loop;
  return evaluateInput(
    task.config.taskDefinition?.inputTemplate,
    node.input,
    documentOf(t, taskIdIn(t, task)),
  );
}

/**
 * The list to go through (semantics 4.9.4): field `items`, parameter `_items`, or `items` in a loop
 * without condition.
 */
function itemsOf(t: Transition, loop: Loop): Json[] | undefined {
  const { config } = loop.task;
  let value: Json | undefined;
  if (config.items !== undefined) {
    const template = loop.node.template('items', () => config.items ?? null);
    value = evaluateTemplate(template, documentOf(t, taskIdIn(t, loop.task)));
  } else {
    const isUnconditional = (config.loopCondition ?? '').trim() === '';
    const param = ['_items', ...(isUnconditional ? ['items'] : [])].find((name) =>
      Object.hasOwn(config.inputParameters, name),
    );
    if (param === undefined) return undefined;
    value = inputNow(t, loop)[param] ?? null;
  }
  if (value === null) return [];
  return Array.isArray(value) ? value : [value];
}

/** keepLastN (semantics 4.9.2): iterations up to N - keepLastN lose their records. */
function removeOldIterations(t: Transition, loop: Loop): void {
  const { task, node } = loop;
  const keep = numberFrom(task.input.value['keepLastN'] ?? 0);
  if (!Number.isInteger(keep) || keep <= 0 || task.iteration <= keep) return;
  const upTo = task.iteration - keep;
  const { tasks } = t.execution;
  const old: Task[] = [];
  for (let index = t.open.indexOf(task) + 1; index < tasks.length; index++) {
    const member = tasks[index] as Task;
    if (member.iteration === 0 || t.open.nodes.of(member)?.loop !== node) continue;
    if (member.iteration > upTo) break;
    old.push(member);
  }
  for (const member of old) removeTask(t, member);
}

/** `{"1": {ref: output}, ..., iteration, loopIndex, loopItem}` (semantics 4.9.5). */
function loopOutput(open: OpenExecution, loop: Task): JsonMap {
  const output: JsonMap = {};
  if (loop.input.value['captureOutput'] !== false) {
    const node = open.nodes.of(loop);
    for (const task of open.execution.tasks) {
      if (task.iteration === 0 || task.status === 'SKIPPED' || task === loop) continue;
      if (open.nodes.of(task)?.loop !== node) continue;
      const members = (output[task.iteration] ??= {}) as JsonMap;
      // A TERMINATE ends the loop before anybody looks at its output (observed).
      const isEnd = open.types.of(task).role === 'end';
      setOwn(members, plainRefOf(task), isEnd ? {} : outputOf(open, task).value);
    }
  }
  for (const key of loopCounters) {
    const value = loopCounter(loop, key);
    if (value !== undefined) output[key] = value;
  }
  return output;
}

const loopCounters = ['iteration', 'loopIndex', 'loopItem'] as const;

function loopCounter(loop: Task, key: string): Json | undefined {
  switch (key) {
    case 'iteration':
      return loop.iteration;
    case 'loopIndex':
      return notesOf(loop)['item'] === undefined ? undefined : loop.iteration - 1;
    case 'loopItem':
      return notesOf(loop)['item'];
    default:
      return undefined;
  }
}

function whyLoops(open: OpenExecution, task: Task): WaitReason {
  const node = open.nodes.of(task);
  const members: string[] = [];
  for (const member of open.openTasks) {
    if (members.length === refsMax) break;
    if (member !== task && open.nodes.of(member)?.loop === node) members.push(member.ref);
  }
  return reason(open, task, 'loop', {
    reason: `${shown(task)} is in iteration ${task.iteration} and waits for ${listed(members)}.`,
    moves: 'the end of the iteration',
    ...untilTimeout(open, task),
    data: { iteration: task.iteration, waitingFor: members },
  });
}
