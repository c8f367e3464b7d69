// How the page draws a definition: forks and joins are bars of one length, corners are rounded, the
// default case goes straight on, a loop stands around its body.
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../../testkit/project.js';

interface Box {
  readonly ref: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface Edge {
  readonly path: string;
  readonly from?: string;
  readonly to?: string;
}

interface Layout {
  readonly nodes: readonly Box[];
  readonly edges: readonly Edge[];
  readonly width: number;
  readonly height: number;
}

// The page has a configuration of its own, so that its files cannot be named in an import.
const graph = path.join(projectRoot, 'ui/src/graph');
const { layOut } = (await import(path.join(graph, 'layout.ts'))) as {
  layOut(tasks: readonly object[], options?: { runsRight?: boolean }): Layout;
};

const task = (ref: string, more: object = {}): object => ({
  ...{ name: ref, taskReferenceName: ref, type: 'SIMPLE' },
  ...more,
});
const tasks = [
  task('first'),
  task('choose', { type: 'SWITCH', decisionCases: { yes: [task('ask')] }, defaultCase: [] }),
  task('fork', {
    type: 'FORK_JOIN',
    forkTasks: [
      [task('one'), task('two')],
      [task('middle')],
      [task('rounds', { type: 'DO_WHILE', loopOver: [task('inside')] })],
    ],
  }),
  task('join', { type: 'JOIN' }),
  task('last'),
];
const down = layOut(tasks);
const right = layOut(tasks, { runsRight: true });

const box = ({ nodes }: Layout, ref: string): Box => nodes.find((each) => each.ref === ref) as Box;
const line = ({ edges }: Layout, from: string, to: string): string =>
  edges.find((edge) => edge.from === from && edge.to === to)?.path ?? '';

describe('the drawing of a graph', () => {
  it('has a join as long as its fork, and in line with it', () => {
    const [fork, join] = [box(down, 'fork'), box(down, 'join')];
    expect([join.x, join.width]).toEqual([fork.x, fork.width]);
    const [upright, end] = [box(right, 'fork'), box(right, 'join')];
    expect([end.y, end.height]).toEqual([upright.y, upright.height]);
    expect(upright.height).toBeGreaterThan(box(right, 'middle').height * 2);
  });

  it('joins each branch by a straight line of its own', () => {
    expect(line(down, 'middle', 'join')).toMatch(/^M[\d.]+ [\d.]+L[\d.]+ [\d.]+$/);
    expect(line(down, 'two', 'join')).toMatch(/^M[\d.]+ [\d.]+L[\d.]+ [\d.]+$/);
  });

  it('rounds the corners on the way to a case, and goes straight on in the default case', () => {
    expect(line(down, 'choose', 'ask')).toContain('Q');
    const straight = down.edges.filter(({ from, to }) => from === 'choose' && to === undefined);
    expect(straight.map((edge) => edge.path).join('')).not.toContain('Q');
  });

  it('has a loop around its body', () => {
    const [loop, inside] = [box(right, 'rounds'), box(right, 'inside')];
    expect(loop.x).toBeLessThan(inside.x);
    expect(loop.x + loop.width).toBeGreaterThan(inside.x + inside.width);
    expect(loop.y + loop.height).toBeGreaterThan(inside.y + inside.height);
  });

  it('draws no task over another one, nor out of its edges', () => {
    for (const layout of [down, right]) {
      const boxes = layout.nodes.filter(({ ref }) => ref !== 'rounds');
      const over = boxes.flatMap((a, at) => boxes.slice(at + 1).filter((b) => isOver(a, b)));
      expect(over).toEqual([]);
      for (const { x, y, width, height } of boxes) {
        expect(Math.min(x, y)).toBeGreaterThanOrEqual(0);
        expect(x + width).toBeLessThanOrEqual(layout.width);
        expect(y + height).toBeLessThanOrEqual(layout.height);
      }
    }
  });
});

function isOver(a: Box, b: Box): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}
