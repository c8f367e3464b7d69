// The path that an execution has taken through its graph, as the page draws it.
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../../testkit/project.js';

interface Edge {
  readonly from?: string;
  readonly to?: string;
}

type States = ReadonlyMap<string, { readonly status?: string }>;

// The page has a configuration of its own, so that its files cannot be named in an import.
const graph = path.join(projectRoot, 'ui/src/graph');
const { layOut } = (await import(path.join(graph, 'layout.ts'))) as {
  layOut(tasks: readonly object[]): { readonly edges: readonly Edge[] };
};
const { isTaken } = (await import(path.join(graph, 'path-taken.ts'))) as {
  isTaken(edge: Edge, states: States): boolean;
};

const task = (ref: string): object => ({ name: ref, taskReferenceName: ref, type: 'SIMPLE' });
const choice = {
  ...task('choose'),
  ...{ type: 'SWITCH', decisionCases: { yes: [task('ask')] }, defaultCase: [] },
};
const fork = { ...task('fork'), type: 'FORK_JOIN', forkTasks: [[task('left')], []] };

/** How many edges are taken: of an empty branch, and of one with the task `ask` or `left`. */
function taken(tasks: readonly object[], completed: readonly string[]): [number, number] {
  const states = new Map(completed.map((ref) => [ref, { status: 'COMPLETED' }]));
  const edges = layOut(tasks).edges.filter((edge) => isTaken(edge, states));
  const empty = edges.filter(({ from, to }) => to === undefined && /choose|fork/.test(from ?? ''));
  const full = edges.filter(({ from, to }) => /ask|left/.test(`${from} ${to}`));
  return [empty.length, full.length];
}

describe('the path taken', () => {
  it('goes through an empty branch of a choice, in and out', () => {
    expect(taken([choice, task('after')], ['choose', 'after'])).toEqual([2, 0]);
  });

  it('leaves an empty branch of a choice out where another one was taken', () => {
    expect(taken([choice, task('after')], ['choose', 'ask', 'after'])).toEqual([0, 2]);
  });

  it('has not gone through a choice that was not reached', () => {
    expect(taken([choice, task('after')], [])).toEqual([0, 0]);
  });

  it('goes through each branch of a fork, an empty one too', () => {
    expect(taken([fork, task('after')], ['fork', 'left', 'after'])).toEqual([2, 2]);
  });
});
