// FORK_JOIN and FORK_JOIN_DYNAMIC (semantics 4.3, 4.5): a completed FORK record, then the first task of each branch, then the JOIN.
// Branches get their records one agenda item at a time; the fork counts as consumed when all have theirs.
import { failExecution } from '../ending.js';
import type { Json } from '../../model/json.js';
import type { Task } from '../../model/execution.js';
import { duplicateReference, embedTaskDefs, findTaskDefs, readBranches } from '../fork-branches.js';
import { plainInput } from '../mapping.js';
import { createTask } from '../records.js';
import { refInIteration } from '../references.js';
import type { Payload } from '../../model/payload.js';
import type { Transition } from '../transition.js';
import type { Site, TaskType } from './contract.js';

export const forkJoinTask: TaskType = {
  types: ['FORK_JOIN'],
  map(t, site) {
    if (site.node.next?.config.type !== 'JOIN') {
      const reason = 'Fork task definition is not followed by a join task. Check the blueprint';
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
    if (site.node.next?.config.type !== 'JOIN') {
      const reason =
        'Dynamic join definition is not followed by a join task. Check the workflow definition.';
      failExecution(t, { status: 'FAILED', reason });
      return;
    }
    const input = plainInput(t, site, false);
    const prefix = hasDynamicFork(t);
    const read = readBranches(site.config, input.value, prefix);
    const branches =
      read.kind === 'branches'
        ? (read.configs
            .map(({ taskReferenceName }) => taskReferenceName)
            .filter((ref) => t.open.lastByRef(refInIteration(ref, site.iteration)) !== undefined)
            .map(duplicateReference)[0] ?? read)
        : read;
    if (branches.kind === 'invalid') {
      failExecution(t, { status: 'FAILED', reason: branches.reason });
      return;
    }
    const taskDefs = findTaskDefs(branches.configs, (name) => t.context.definitions.taskDef(name));
    const fork = createFork(t, site, input, { prefix, taskDefs: taskDefs as unknown as Json });
    const found = Object.keys(taskDefs).length > 0;
    const { configs } = branches;
    t.open.prepareBranches(
      fork,
      found ? embedTaskDefs(configs, (name) => taskDefs[name]) : configs,
    );
  },
  begin: expandAgain,
  settle: expandRest,
};

/** Form 1 names its branches after the fork when another dynamic fork came before (semantics 4.5.2). */
function hasDynamicFork(t: Transition): boolean {
  return t.open.dynamicForks > 0;
}

function createFork(t: Transition, site: Site, input: Payload, memo: Json | undefined): Task {
  const fork = createTask(t, {
    ref: site.ref,
    config: site.config,
    taskType: 'FORK',
    defName: 'FORK',
    status: 'COMPLETED',
    iteration: site.iteration,
    input,
    ...(memo === undefined ? {} : { memo }),
  });
  fork.startAt = t.now;
  fork.firstStartAt = t.now;
  t.pushFirst({ kind: 'expand', fork, branch: 0 });
  return fork;
}

/** A fork that was interrupted goes on; branches that have records keep them. */
function expandRest(t: Transition, fork: Task): boolean {
  t.pushFirst({ kind: 'expand', fork, branch: 0 });
  return true;
}

function expandAgain(t: Transition, fork: Task): void {
  t.push({ kind: 'expand', fork, branch: 0 });
}
