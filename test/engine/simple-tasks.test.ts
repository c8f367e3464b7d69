// Chains of worker tasks: start, hand-out, reports, completion.
import { describe, expect, it } from 'vitest';
import { simple, workflow, World } from './support/world.js';

describe('a chain of worker tasks', () => {
  const def = workflow(
    [
      simple('a', { inputParameters: { n: '${workflow.input.n}' } }),
      simple('b', { inputParameters: { text: 'got ${a.output.x}' } }),
    ],
    { outputParameters: { x: '${a.output.x}', missing: '${c.output.y}' } },
  );

  it('schedules one task after the other and completes', () => {
    const world = new World();
    const id = world.start(def, { n: 5 });
    expect(world.list(id)).toEqual(['1 a a SCHEDULED']);
    expect(world.inputOf(id, 'a')).toEqual({ n: 5 });
    world.work('a', { x: 7 });
    expect(world.list(id)).toEqual(['1 a a COMPLETED', '2 b b SCHEDULED']);
    expect(world.inputOf(id, 'b')).toEqual({ text: 'got 7' });
    world.work('b', { y: 1 });
    expect(world.status(id)).toBe('COMPLETED');
    expect(world.output(id)).toEqual({ x: 7, missing: null });
  });
});
