// Short forms for transcripts: definitions in wire form, and what an execution looks like
// afterwards. The world that carries commands out (test/engine/support/world.ts) opens every
// execution again from its records after each step.
import { expect } from 'vitest';
import type { Command } from '../../src/engine/command.js';
import type { Json, JsonMap } from '../../src/model/json.js';
import type { ExecutionId } from '../../src/std/ids.js';
import { result, taskOf, workflow, World } from '../engine/support/world.js';

export { result, simple, startOfTime, taskOf, workflow, World } from '../engine/support/world.js';

/**
 * A fork and its JOIN (`<ref>j`) on the last task of every branch, unless `joinOn` says otherwise.
 */
export function fork(
  ref: string,
  branches: JsonMap[][],
  more: { joinOn?: string[]; join?: JsonMap } = {},
): JsonMap[] {
  const joinOn = more.joinOn ?? branches.map((branch) => refOf(branch.at(-1) ?? {}));
  return [
    taskOf('FORK_JOIN', ref, { forkTasks: branches }),
    taskOf('JOIN', `${ref}j`, { joinOn, ...more.join }),
  ];
}

/** A dynamic fork of form 2 over the workflow input `list` (or the given one) and its JOIN. */
export function dynamicFork(
  ref: string,
  list: Json = '${workflow.input.list}',
  inputs: Json = '${workflow.input.inputs}',
): JsonMap[] {
  return [
    taskOf('FORK_JOIN_DYNAMIC', ref, {
      dynamicForkTasksParam: 'tasks',
      dynamicForkTasksInputParamName: 'inputs',
      inputParameters: { tasks: list, inputs },
    }),
    taskOf('JOIN', `${ref}j`),
  ];
}

/** A loop of `rounds` iterations, or with a condition of its own. */
export function loop(
  ref: string,
  rounds: number | string,
  body: JsonMap[],
  more: JsonMap = {},
): JsonMap {
  const loopCondition = typeof rounds === 'string' ? rounds : `$.${ref}['iteration'] < ${rounds}`;
  return taskOf('DO_WHILE', ref, { loopCondition, loopOver: body, ...more });
}

export function child(ref: string, name: string, more: JsonMap = {}): JsonMap {
  return taskOf('SUB_WORKFLOW', ref, { subWorkflowParam: { name, version: 1 }, ...more });
}

/** A SWITCH on the value (or expression) `choice`. */
export function choose(
  ref: string,
  choice: Json,
  cases: { [key: string]: JsonMap[] },
  other: JsonMap[] = [],
): JsonMap {
  return taskOf('SWITCH', ref, {
    evaluatorType: 'value-param',
    expression: 'choice',
    inputParameters: { choice },
    decisionCases: cases,
    defaultCase: other,
  });
}

export function terminateTask(ref: string, terminationStatus: string, more: JsonMap = {}): JsonMap {
  return taskOf('TERMINATE', ref, { inputParameters: { terminationStatus, ...more } });
}

export function setVariable(ref: string, inputParameters: JsonMap): JsonMap {
  return taskOf('SET_VARIABLE', ref, { inputParameters });
}

export function inline(ref: string, expression: string, more: JsonMap = {}): JsonMap {
  return taskOf('INLINE', ref, {
    inputParameters: { evaluatorType: 'javascript', expression, ...more },
  });
}

export function refOf(task: JsonMap): string {
  return task['taskReferenceName'] as string;
}

/** Task definitions that are not retried. */
export function noRetries(...names: string[]): JsonMap[] {
  return names.map((name) => ({ name, retryCount: 0 }));
}

/** Task definitions that are retried at once, `count` times. */
export function retries(count: number, ...names: string[]): JsonMap[] {
  return names.map((name) => ({ name, retryCount: count, retryDelaySeconds: 0 }));
}

/** A workflow definition with a name, for `workflowDefs` and children. */
export function named(name: string, tasks: JsonMap[], more: JsonMap = {}): JsonMap {
  return workflow(tasks, { name, ...more });
}

/** `ref STATUS` of every record in list order; `#n` marks attempts. */
export function picture(world: World, id: ExecutionId): string[] {
  return world.open(id).execution.tasks.map(({ ref, status, retryCount }) => {
    const attempt = retryCount > 0 ? ` #${retryCount}` : '';
    return `${ref}${attempt} ${status}`;
  });
}

/** References of the open tasks in list order. */
export function openRefs(world: World, id: ExecutionId): string[] {
  return [...world.open(id).openTasks].sort((a, b) => a.seq - b.seq).map(({ ref }) => ref);
}

/** Gives a command that must be accepted. */
export function tell(world: World, id: ExecutionId, command: Command): void {
  const reply = world.command(id, command);
  if (reply.kind === 'refused') expect.fail(`${command.kind}: ${reply.error.message}`);
}

export function retry(world: World, id: ExecutionId, resumeSubworkflowTasks = false): void {
  tell(world, id, { kind: 'retry', resumeSubworkflowTasks });
}

export function rerun(
  world: World,
  id: ExecutionId,
  ref?: string,
  more: Partial<Extract<Command, { kind: 'rerun' }>> = {},
): void {
  const target = ref === undefined ? {} : { taskNumber: world.task(id, ref).number };
  tell(world, id, { kind: 'rerun', ...target, ...more });
}

export function terminate(world: World, id: ExecutionId, reason = 'enough'): void {
  tell(world, id, { kind: 'terminate', reason, triggerFailureWorkflow: false, byParent: false });
}

/** `kind: message` of the refusal of a command. */
export function refusal(world: World, id: ExecutionId, command: Command): string {
  const reply = world.command(id, command);
  return reply.kind === 'refused'
    ? `${reply.error.kind}: ${reply.error.message.replaceAll(id, '<execution>')}`
    : reply.kind;
}

/** Works on every worker task that comes up, until there is none; gives the types in order. */
export function workAll(world: World, output: (ref: string) => JsonMap = () => ({})): string[] {
  const done: string[] = [];
  for (let left = 10_000; left > 0; left--) {
    const task = pollAny(world);
    if (task === undefined) return done;
    const id = world.ownerOf(task);
    world.command(id, {
      kind: 'update-task',
      task: { taskNumber: task.number },
      result: result('COMPLETED', output(task.ref)),
      mergeOutput: false,
    });
    done.push(task.ref);
  }
  throw new Error('There is no end to the work');
}

function pollAny(world: World): ReturnType<World['poll']> {
  for (const open of world.opens.values()) {
    for (const { taskType, status } of open.openTasks) {
      const task = status === 'SCHEDULED' ? world.poll(taskType) : undefined;
      if (task !== undefined) return task;
    }
  }
  return undefined;
}

/** A world and one execution in it. */
export function begin(
  tasks: JsonMap[],
  options: ConstructorParameters<typeof World>[0] & { input?: JsonMap; def?: JsonMap } = {},
): { world: World; id: ExecutionId } {
  const { input = {}, def = {}, ...worldOptions } = options;
  const world = new World(worldOptions);
  return { world, id: world.start(workflow(tasks, def), input) };
}
