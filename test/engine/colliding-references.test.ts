// References that somebody else has already: branches of a dynamic fork named like tasks of the
// definition (semantics 4.5.6: only existing records are looked at), and names that every object
// has. What follows must not depend on whether the execution was loaded again meanwhile.
import { describe, expect, it } from 'vitest';
import type { JsonMap } from '../../src/model/json.js';
import type { ExecutionId } from '../../src/std/ids.js';
import { why } from '../../src/engine/why.js';
import { simple, taskOf, workflow, World } from './support/world.js';

function forkOf(branches: JsonMap[], more: JsonMap[]): JsonMap {
  const fork = taskOf('FORK_JOIN_DYNAMIC', 'f', {
    dynamicForkTasksParam: 'list',
    dynamicForkTasksInputParamName: 'inputs',
    inputParameters: { list: branches, inputs: {} },
  });
  return workflow([fork, taskOf('JOIN', 'j'), ...more]);
}

function refsOpen(world: World, id: ExecutionId): string[] {
  return [...world.open(id).openTasks].map((task) => task.ref).sort();
}

describe.each([true, false])(
  'a branch of a dynamic fork (loaded after each step: %s)',
  (reloads) => {
    const begin = (def: JsonMap): { world: World; id: ExecutionId } => {
      const world = new World({ reloads });
      return { world, id: world.start(def) };
    };

    it('named like its JOIN takes its place, and the flow goes on behind it', () => {
      const { world, id } = begin(forkOf([simple('j', { name: 'w' })], [simple('z')]));
      expect(world.list(id)).toEqual(['1 f FORK COMPLETED', '2 j w SCHEDULED']);
      world.work('w');
      expect(refsOpen(world, id)).toEqual(['z']);
      world.work('z');
      expect(world.status(id)).toBe('COMPLETED');
    });

    it('with its JOIN named inside it goes on behind that, too', () => {
      const branch = taskOf('SWITCH', 's', {
        evaluatorType: 'value-param',
        expression: 'k',
        inputParameters: { k: 'x' },
        decisionCases: { x: [simple('j', { name: 'w' })] },
      });
      const { world, id } = begin(forkOf([branch], [simple('z')]));
      world.work('w');
      world.work('z');
      expect(world.status(id)).toBe('COMPLETED');
    });

    it('named like a later task stands for it', () => {
      const { world, id } = begin(
        forkOf(
          [simple('a', { name: 'w' }), simple('b', { name: 'v' })],
          [simple('a'), simple('z')],
        ),
      );
      world.work('w');
      expect(refsOpen(world, id)).toEqual(['b', 'j', 'z']);
      world.work('v');
      world.work('z');
      expect(world.status(id)).toBe('COMPLETED');
      expect(world.list(id).filter((line) => line.includes(' a '))).toHaveLength(1);
    });

    it('that chooses, named like a task of the definition, finds its own case again', () => {
      const branch = taskOf('SWITCH', 'z', {
        evaluatorType: 'value-param',
        expression: 'k',
        inputParameters: { k: 'x' },
        decisionCases: { x: [simple('p', { name: 'w' }), simple('q', { name: 'v' })] },
      });
      const { world, id } = begin(forkOf([branch], [simple('a'), simple('z')]));
      const before = world.list(id);
      expect(before).toContain('2 z SWITCH COMPLETED');
      for (let round = 0; round < 5 && world.status(id) === 'RUNNING'; round++) {
        const [ref] = refsOpen(world, id).filter((each) => each !== 'j');
        if (ref === undefined) break;
        world.report(id, ref, 'COMPLETED');
      }
      expect(world.status(id)).toBe('COMPLETED');
    });
  },
);

describe('a name that every object has', () => {
  it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])(
    '%s is a task type like any other',
    (name) => {
      const world = new World();
      const id = world.start(
        workflow([
          simple('a', { name }),
          taskOf('FORK_JOIN_DYNAMIC', 'f', {
            dynamicForkTasksParam: 'list',
            dynamicForkTasksInputParamName: 'inputs',
            inputParameters: { list: [simple('b', { name })], inputs: {} },
          }),
          taskOf('JOIN', 'j'),
        ]),
      );
      world.work(name);
      world.work(name);
      expect(world.status(id)).toBe('COMPLETED');
    },
  );
});

describe.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])(
  'an input without %s',
  (name) => {
    const run = (task: JsonMap, more: JsonMap = {}): { world: World; id: ExecutionId } => {
      const world = new World();
      return { world, id: world.start({ ...workflow([task]), ...more }, { x: 1 }) };
    };

    it('has no such value: INLINE and SWITCH', () => {
      const evaluatorType = 'value-param';
      const inputParameters = { evaluatorType, expression: name };
      const inline = run(taskOf('INLINE', 'i', { inputParameters }));
      expect(inline.world.output(inline.id)).toEqual({ result: null });
      const decisionCases = { y: [] };
      const fields = { evaluatorType, expression: name, inputParameters: {}, decisionCases };
      const chosen = run(taskOf('SWITCH', 's', fields));
      const { output } = chosen.world.task(chosen.id, 's');
      expect(output.value['evaluationResult']).toEqual(['null']);
    });

    it('names no task to run: DYNAMIC', () => {
      const { world, id } = run(taskOf('DYNAMIC', 'd', { dynamicTaskNameParam: name }));
      expect(world.status(id)).toBe('FAILED');
    });

    it('lists no branches: FORK_JOIN_DYNAMIC', () => {
      const fields = { dynamicForkTasksParam: name, dynamicForkTasksInputParamName: name };
      const { world, id } = run(taskOf('FORK_JOIN_DYNAMIC', 'f', fields));
      expect(world.status(id)).toBe('FAILED');
      expect(world.reason(id)).toContain("from 'null'");
    });

    it('takes the value of the template', () => {
      const outputParameters = { o: '${workflow.input}' };
      const inputTemplate = JSON.parse(`{"${name}":"given"}`) as JsonMap;
      const more = { inputTemplate, outputParameters };
      const { world, id } = run(taskOf('NOOP', 'n'), more);
      expect(world.output(id)['o']).toHaveProperty(name, 'given');
    });
  },
);

describe('a join for which nothing can come', () => {
  it.each([
    ['EXCLUSIVE_JOIN', { joinOn: [] }, 'waits for nothing more'],
    ['JOIN', { joinOn: ['never'] }, 'waits for never'],
  ])('%s says so', (type, more, text) => {
    const world = new World();
    const id = world.start(workflow([taskOf(type, 'j', more)]));
    const facts = { lastPollAt: () => 0, attempt: () => undefined };
    const [reason] = why(world.open(id), facts, world.now).waitsFor;
    expect(reason?.reason).toContain(text);
    expect(reason?.reason).toContain('will wait for good');
    expect(reason?.moves).toBe('an update of the task by hand, or ending the execution');
    world.report(id, 'j', 'COMPLETED');
    expect(world.status(id)).toBe('COMPLETED');
  });
});
