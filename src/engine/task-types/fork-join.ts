// FORK_JOIN and FORK_JOIN_DYNAMIC (semantics 4.3, 4.5): a completed FORK record, then the first
// task of each branch, then the JOIN. Branches get their records one agenda item at a time; the
// fork counts as consumed when all have theirs.
import { reachesNothing } from '../reaches.js';
import { failExecution } from '../ending.js';
import { asJson, type Json } from '../../model/json.js';
import type { Task } from '../../model/execution.js';
import {
  branchConfigAt,
  branchConfigsOf,
  duplicateReference,
  findTaskDefs,
  readBranches,
  toWireTask,
  type Branches,
  type InvalidBranches,
} from '../fork-branches.js';
import { plainInput } from '../mapping.js';
import { fieldTaskTypes } from '../../model/field-task-types.js';
import type { TaskDef } from '../../model/task-def.js';
import type { WorkflowTask } from '../../model/workflow-def.js';
import { useRefusal } from '../task-use.js';
import { createTask } from '../records.js';
import { refInIteration } from '../references.js';
import { Payload } from '../../model/payload.js';
import type { Transition } from '../transition.js';
import { required } from './checks.js';
import { taskTypeAndName } from '../../model/task-type-and-name.js';
import type { Site, TaskType } from './contract.js';
import { expandingType, rerunAsItWas, retriedByHand } from './constructors.js';

/** The common members of both forks: the record is complete as soon as it is made. */
const expanding: Pick<TaskType, 'begin' | 'settle' | 'retry'> = {
  begin: expandAgain,
  settle: expandRest,
  retry: retriedByHand,
};

export const forkJoinTask: TaskType = expandingType({
  ...expanding,
  names: ['FORK_JOIN'],
  reaches: reachesNothing,
  role: 'fork',
  check(config) {
    if (config.forkTasks.length > 0) return [];
    return [`forkTasks should have atleast one task for ${taskTypeAndName(config)}`];
  },
  nest(node, compile) {
    const place = { after: node.next, loop: node.loop };
    node.branches = node.config.forkTasks.map((tasks) => compile(tasks, place));
  },
  map(t, site) {
    if (site.node.next?.role !== 'join') {
      const reason = 'Fork task definition is not followed by a join task.  Check the blueprint';
      failExecution(t, { status: 'FAILED', reason });
      return;
    }
    if (isRefused(t, site.config.forkTasks.length)) return;
    createFork(t, site, plainInput(t, site, false), undefined);
  },
});

export const forkJoinDynamicTask: TaskType = expandingType({
  ...expanding,
  names: ['FORK_JOIN_DYNAMIC'],
  reaches: [{ right: 'EXECUTE', target: 'WORKFLOW_DEF', named: '`forkTaskWorkflow`' }],
  role: 'dynamic-fork',
  check: checkDynamicFork,
  map(t, site) {
    const input = plainInput(t, site, false);
    const prefix = hasDynamicFork(t);
    const branches = readBranches(site.config, input.value, prefix);
    const invalid = branches.kind === 'invalid' ? branches : checkBranches(t, site, branches);
    if (invalid !== undefined || branches.kind === 'invalid') {
      failExecution(t, { status: 'FAILED', reason: invalid?.reason });
      return;
    }
    if (site.node.next?.role !== 'join') {
      const reason =
        'Dynamic join definition is not followed by a join task.  Check the workflow definition.';
      failExecution(t, { status: 'FAILED', reason });
      return;
    }
    if (isRefused(t, branches.refs.length)) return;
    const taskDefs = findTaskDefs(branches, (name) => usableDef(t, name));
    createFork(t, site, input, { prefix, taskDefs: asJson(taskDefs) });
  },
  rerun: {
    ...rerunAsItWas,
    refuseInput: (input, taskId) =>
      Object.keys(input).length === 0
        ? undefined
        : `The input of task ${taskId} comes from the definition: a dynamic fork is expanded again from current data`,
  },
  derivedInput(task) {
    const configs = branchConfigsOf(task);
    return Payload.of({
      ...task.input.value,
      forkedTasks: configs.map((config) => config.taskReferenceName),
      forkedTaskDefs: configs.map(toWireTask),
    });
  },
});

/**
 * undefined too where the definition is restricted and the execution may not use it: the record of
 * the fork would show it. A worker's task of that name fails when it is scheduled.
 */
function usableDef({ context, execution }: Transition, name: string): TaskDef | undefined {
  const isRefused = useRefusal(context.taskUse, execution, name) !== undefined;
  return isRefused ? undefined : context.definitions.taskDef(name);
}

function checkDynamicFork(config: WorkflowTask): string[] {
  if (Object.hasOwn(config.inputParameters, 'forkTaskInputs')) return [];
  const { dynamicForkJoinTasksParam: legacy } = config;
  const { dynamicForkTasksParam: list, dynamicForkTasksInputParamName: inputs } = config;
  if (legacy !== undefined) {
    if (list === undefined && inputs === undefined) return [];
    // Spelling as clients know it.
    return [
      `dynamicForkJoinTasksParam or combination of dynamicForkTasksInputParamName and dynamicForkTasksParam cam be used for ${taskTypeAndName(config)}`,
    ];
  }
  return [
    ...(list === undefined ? [required(config, 'dynamicForkTasksParam')] : []),
    ...(inputs === undefined ? [required(config, 'dynamicForkTasksInputParamName')] : []),
  ];
}

/**
 * Forks of up to so many branches are read in full before the first record is made; larger ones
 * branch by branch.
 */
const readAtOnceMax = 200;

/** Why no branch may be made (semantics 4.5.3); undefined when nothing speaks against it. */
function checkBranches(t: Transition, site: Site, branches: Branches): InvalidBranches | undefined {
  for (const ref of branches.refs) {
    const named = refInIteration(ref, site.iteration);
    if (named === site.ref || t.open.lastByRef(named) !== undefined) return duplicateReference(ref);
  }
  if (branches.refs.length > readAtOnceMax) return undefined;
  const noDefs = {};
  for (let index = 0; index < branches.refs.length; index++) {
    const config = branchConfigAt(branches, index, noDefs);
    if (config === undefined) return branches.invalid;
    const reason = missingDefinition(t, config);
    if (reason !== undefined) return { kind: 'invalid', reason };
  }
  return undefined;
}

/**
 * A branch of a user-defined type, or one that is a sub-workflow of any version, needs something
 * registered (observed).
 */
function missingDefinition(t: Transition, config: WorkflowTask): string | undefined {
  const { definitions } = t.context;
  const { name, type, taskDefinition, subWorkflowParam: child } = config;
  const isUserDefined = type !== 'SIMPLE' && type !== 'DYNAMIC' && !isSystemType(t, type);
  if (isUserDefined && taskDefinition === undefined && definitions.taskDef(name) === undefined) {
    return `Invalid task specified. Cannot find task by name ${name} in the task definitions`;
  }
  const isOpen = child?.version === undefined && child?.workflowDefinition === undefined;
  if (child?.name === undefined || !isOpen || child.name.includes('${')) return undefined;
  return definitions.workflowDef(child.name) === undefined
    ? `The Task ${child.name} defined as a sub-workflow has no workflow definition available `
    : undefined;
}

/** A type that no worker polls for. */
function isSystemType(t: Transition, type: string): boolean {
  return fieldTaskTypes.has(type) || t.context.serverTaskTypes.has(type);
}

/**
 * Form 1 names its branches after the fork when another dynamic fork came before (semantics 4.5.2).
 */
function hasDynamicFork(t: Transition): boolean {
  return t.open.dynamicForks > 0;
}

/** A quota leaves no room for so many branches: the execution fails with the reason. */
function isRefused(t: Transition, branches: number): boolean {
  const { attributes, snapshot } = t.execution;
  const tasks = { open: t.open.openTasks.size, more: branches };
  const reason = t.context.refuseFork?.(attributes.createdBy, snapshot.def.name, tasks);
  if (reason === undefined) return false;
  failExecution(t, { status: 'FAILED', reason });
  return true;
}

function createFork(t: Transition, site: Site, input: Payload, notes: Json | undefined): void {
  const fork = createTask(t, {
    ref: site.ref,
    config: site.config,
    taskType: 'FORK',
    defName: 'FORK',
    status: 'COMPLETED',
    iteration: site.iteration,
    input,
    ...(notes === undefined ? {} : { notes }),
  });
  fork.startAt = t.now;
  fork.firstStartAt = t.now;
  t.pushFirst({ kind: 'expand', fork, branch: 0 });
}

/** A fork that was interrupted goes on; branches that have records keep them. */
function expandRest(t: Transition, fork: Task): boolean {
  t.pushFirst({ kind: 'expand', fork, branch: 0 });
  return true;
}

function expandAgain(t: Transition, fork: Task): void {
  t.push({ kind: 'expand', fork, branch: 0 });
}
