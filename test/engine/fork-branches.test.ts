import { describe, expect, it } from 'vitest';
import {
  branchConfigAt,
  readBranches,
  type Branches,
  type ForkTaskDefs,
} from '../../src/engine/fork-branches.js';
import type { Json } from '../../src/model/json.js';
import { parseTaskDef } from '../../src/model/parse-task-def.js';
import { parseWorkflowTask } from '../../src/model/parse-workflow-def.js';
import { depthMax } from '../../src/model/shape-limits.js';

const fork = parseWorkflowTask(
  { name: 'fork', taskReferenceName: 'fork', type: 'FORK_JOIN_DYNAMIC', optional: true },
  'fork',
);

const noDefs: ForkTaskDefs = {};

function branchesFor(elements: Json[], over = {}): Branches {
  const input = { forkTaskName: 'work', forkTaskInputs: elements, ...over };
  const branches = readBranches(fork, input, false);
  if (branches.kind === 'invalid') throw new Error(branches.reason);
  return branches;
}

describe('branches of one task for each element', () => {
  const elements: Json[] = [
    ...[{ retryCount: 3, n: 0 }, 1, { n: 2 }, null, [4], { taskDefinition: null, n: 5 }],
    ...[{ taskToDomain: { work: 'a' } }, { description: 'own' }, { metadata: { a: 1 } }],
  ];

  it.each([
    ['of a worker', {}],
    ['of a sub-workflow', { forkTaskWorkflow: 'child', forkTaskWorkflowVersion: 2 }],
    ['of another type', { forkTaskType: 'HTTP' }],
  ])('%s are as if each were read alone', (_kind, over) => {
    const branches = branchesFor(elements, over);
    const alone = elements.map((_, index) => parseWorkflowTask(branches.rawAt(index), ''));
    const found = elements.map((_, index) => branchConfigAt(branches, index, noDefs));
    expect(found).toEqual(alone);
    expect(found.map((one) => Object.keys(one ?? {}))).toEqual(
      alone.map((one) => Object.keys(one)),
    );
  });

  it('share what they have alike, and nothing with those that set a field', () => {
    const branches = branchesFor(elements);
    const lists = elements.map((_, index) => branchConfigAt(branches, index, noDefs)?.joinOn);
    expect([2, 3, 4, 5, 8].filter((at) => lists[at] !== lists[1])).toEqual([]);
    expect([0, 6, 7].filter((at) => lists[at] === lists[1])).toEqual([]);
  });

  it('have the definition that they are read with', () => {
    const branches = branchesFor([1, 2]);
    const defs: ForkTaskDefs = { work: parseTaskDef({ name: 'work' }, '') };
    const without = branchConfigAt(branches, 0, noDefs);
    const found = [0, 1].map((index) => branchConfigAt(branches, index, defs)?.taskDefinition);
    expect([without?.taskDefinition, ...found]).toEqual([undefined, defs['work'], defs['work']]);
  });

  it('are none where an element is nested too deeply', () => {
    let deep: Json = 1;
    for (let level = 0; level < depthMax; level++) deep = [deep];
    const branches = branchesFor([1, deep, 2]);
    const found = [0, 1, 2].map(
      (index) => branchConfigAt(branches, index, noDefs)?.taskReferenceName,
    );
    expect(found).toEqual(['_work_0', undefined, '_work_2']);
  });
});
