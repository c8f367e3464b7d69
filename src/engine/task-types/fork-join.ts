// FORK_JOIN and FORK_JOIN_DYNAMIC (semantics 4.3, 4.5): a completed FORK record, then the first
// task of each branch, then the JOIN. Branches get their records one agenda item at a time; the
// fork counts as consumed when all have theirs.
import { failExecution } from '../ending.js';
import type { Json } from '../../model/json.js';
import type { Task } from '../../model/execution.js';
import {
  branchConfigAt,
  duplicateReference,
  findTaskDefs,
  readBranches,
  type Branches,
  type InvalidBranches,
} from '../fork-branches.js';
import { plainInput } from '../mapping.js';
import { systemTaskTypes } from '../task-kinds.js';
import type { WorkflowTask } from '../../model/workflow-def.js';
import { createTask } from '../records.js';
import { refInIteration } from '../references.js';
import type { Payload } from '../../model/payload.js';
import type { Transition } from '../transition.js';
import type { Site, TaskType } from './contract.js';

export const forkJoinTask: TaskType = {
  types: ['FORK_JOIN'],
  map(t, site) {
    if (site.node.next?.config.type !== 'JOIN') {
      const reason = 'Fork task definition is not followed by a join task.  Check the blueprint';
      failExecution(t, { status: 'FAILED', reason });
      return;
    }
    createFork(t, site, plainInput(t, site, false), undefined);
  },
  begin: expandAgain,
  settle: expandRest,
};

export const forkJoinDynamicTask: TaskType = {
  types: ['FORK_JOIN_DYNAMIC'],
  map(t, site) {
    const input = plainInput(t, site, false);
    const prefix = hasDynamicFork(t);
    const branches = readBranches(site.config, input.value, prefix);
    const invalid = branches.kind === 'invalid' ? branches : checkBranches(t, site, branches);
    if (invalid !== undefined || branches.kind === 'invalid') {
      failExecution(t, { status: 'FAILED', reason: invalid?.reason });
      return;
    }
    if (site.node.next?.config.type !== 'JOIN') {
      const reason =
        'Dynamic join definition is not followed by a join task.  Check the workflow definition.';
      failExecution(t, { status: 'FAILED', reason });
      return;
    }
    const taskDefs = findTaskDefs(branches, (name) => t.context.definitions.taskDef(name));
    createFork(t, site, input, { prefix, taskDefs: taskDefs as unknown as Json });
  },
  begin: expandAgain,
  settle: expandRest,
};

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
  for (let index = 0; index < branches.refs.length; index++) {
    const config = branchConfigAt(branches, index, {});
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
  const isUserDefined = type !== 'SIMPLE' && type !== 'DYNAMIC' && !systemTaskTypes.has(type);
  if (isUserDefined && taskDefinition === undefined && definitions.taskDef(name) === undefined) {
    return `Invalid task specified. Cannot find task by name ${name} in the task definitions`;
  }
  const isOpen = child?.version === undefined && child?.workflowDefinition === undefined;
  if (child?.name === undefined || !isOpen || child.name.includes('${')) return undefined;
  return definitions.workflowDef(child.name) === undefined
    ? `The Task ${child.name} defined as a sub-workflow has no workflow definition available `
    : undefined;
}

/**
 * Form 1 names its branches after the fork when another dynamic fork came before (semantics 4.5.2).
 */
function hasDynamicFork(t: Transition): boolean {
  return t.open.dynamicForks > 0;
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
