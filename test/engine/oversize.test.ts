// What expressions build beyond the bounds of a payload (semantics 2.12) ends a task or the
// execution and is never written out.
import { describe, expect, it } from 'vitest';
import { defaultValueLimits } from '../../src/model/value-limits.js';
import type { JsonMap } from '../../src/model/json.js';
import type { ExecutionId } from '../../src/std/ids.js';
import { simple, taskOf, workflow, World } from './support/world.js';

const limit = 10_000;
const big = 'y'.repeat(9000);

function begin(tasks: JsonMap[], more: JsonMap = {}): { world: World; id: ExecutionId } {
  const world = new World({
    limits: { taskPayloadBytesMax: limit, workflowPayloadBytesMax: limit },
    taskDefs: [{ name: 'w', retryCount: 0 }],
  });
  return { world, id: world.start(workflow(tasks, more), { big }) };
}

function picture(world: World, id: ExecutionId): string[] {
  return world.list(id).map((line) => line.split(' ').slice(1).join(' '));
}

const times = (count: number): string[] =>
  Array.from({ length: count }, () => '${workflow.input.big}');

/** More than any machine could write. */
const beyond = 65_000;

describe('the input of a task', () => {
  it('that names too much at once ends the task as FAILED_WITH_TERMINAL_ERROR without its input', () => {
    const { world, id } = begin([
      taskOf('SET_VARIABLE', 'n', { inputParameters: { all: times(beyond) } }),
    ]);
    expect(picture(world, id)).toEqual(['n SET_VARIABLE FAILED_WITH_TERMINAL_ERROR']);
    expect(world.status(id)).toBe('FAILED');
    expect(world.reason(id)).toContain(`The input of the task is larger than ${limit} bytes`);
    expect(world.inputOf(id, 'n')).toEqual({});
  });

  it('whose text would be too long is refused before the text exists', () => {
    const text = times(beyond).join('');
    const { world, id } = begin([simple('a', { inputParameters: { text } })]);
    expect(picture(world, id)).toEqual(['a a FAILED_WITH_TERMINAL_ERROR']);
    expect(world.reason(id)).toContain(`larger than ${limit} bytes`);
  });

  it('of an optional task lets the flow go on', () => {
    const { world, id } = begin([
      simple('a', { optional: true, inputParameters: { all: times(2) } }),
      simple('b'),
    ]);
    expect(picture(world, id)).toEqual(['a a COMPLETED_WITH_ERRORS', 'b b SCHEDULED']);
  });

  it.each(['SUB_WORKFLOW', 'HTTP', 'SWITCH', 'WAIT', 'INLINE', 'DO_WHILE', 'YIELD'])(
    'is refused for %s as for any other',
    (type) => {
      const own: JsonMap = {
        subWorkflowParam: { name: 'x', version: 1 },
        evaluatorType: 'value-param',
        expression: 'k',
        decisionCases: { k: [] },
        loopCondition: 'true',
        loopOver: [simple('m')],
      };
      const { world, id } = begin([
        taskOf(type, 't', { ...own, inputParameters: { all: times(2) } }),
      ]);
      expect(picture(world, id)).toEqual([`t ${type} FAILED_WITH_TERMINAL_ERROR`]);
      expect(world.status(id)).toBe('FAILED');
    },
  );

  it('of a fork ends the execution, because its JOIN would wait for good', () => {
    const { world, id } = begin([
      taskOf('FORK_JOIN', 'f', {
        optional: true,
        forkTasks: [[simple('a')]],
        inputParameters: { all: times(2) },
      }),
      taskOf('JOIN', 'j', { joinOn: ['a'] }),
    ]);
    expect(picture(world, id)).toEqual([]);
    expect(world.status(id)).toBe('FAILED');
  });

  it('that grows with a retry ends the execution', () => {
    const world = new World({
      limits: { taskPayloadBytesMax: limit, workflowPayloadBytesMax: limit },
      taskDefs: [{ name: 'a', retryCount: 3, retryDelaySeconds: 0 }],
    });
    const all = [...times(1), '${workflow.variables.v}'];
    const id = world.start(workflow([simple('a', { inputParameters: { all } })]), { big });
    world.command(id, { kind: 'update-variables', variables: { v: big } });
    world.work('a', {}, 'FAILED');
    expect(world.status(id)).toBe('FAILED');
    expect(world.reason(id)).toContain(`larger than ${limit} bytes`);
  });
});

describe('the inputs and outputs of all tasks', () => {
  const round = simple('r', { inputParameters: { big: '${workflow.input.big}' } });
  const rounds = (keepLastN: JsonMap): JsonMap =>
    taskOf('DO_WHILE', 'l', {
      loopCondition: "$.l['iteration'] < 100",
      inputParameters: keepLastN,
      loopOver: [{ ...round, type: 'SET_VARIABLE' }],
    });
  const start = (keepLastN: JsonMap): { world: World; id: ExecutionId } => {
    const world = new World({ limits: { executionBytesMax: 100_000 }, reloads: false });
    return { world, id: world.start(workflow([rounds(keepLastN)]), { big }) };
  };

  it('end the execution when they pass their limit together', () => {
    const { world, id } = start({});
    expect(world.status(id)).toBe('FAILED');
    expect(world.reason(id)).toBe(
      'The inputs and outputs of the tasks have reached the limit of 100000 bytes (executionBytesMax)',
    );
    expect(world.list(id)).toHaveLength(13);
  });

  it('count only as long as they are kept', () => {
    const { world, id } = start({ keepLastN: 2 });
    expect(world.status(id)).toBe('COMPLETED');
  });
});

describe('retries', () => {
  it('end at the limit of records when a script fails again and again', () => {
    const world = new World({ limits: { tasksPerExecutionMax: 20 }, reloads: false });
    const failing = taskOf('LAMBDA', 'i', {
      retryCount: 1_000_000_000,
      inputParameters: { scriptExpression: 'nope()' },
      taskDefinition: { name: 'i', retryDelaySeconds: 0 },
    });
    const id = world.start(workflow([failing]));
    expect([world.status(id), world.list(id).length]).toEqual(['FAILED', 20]);
    expect(world.reason(id)).toContain('the limit of 20 tasks');
  });
});

describe('messages that wait', () => {
  it('are refused beyond what one task could take', () => {
    const { world, id } = begin([
      simple('a'),
      taskOf('PULL_WORKFLOW_MESSAGES', 'p', { inputParameters: { batchSize: 100 } }),
    ]);
    const push = (name: string, payload: JsonMap): unknown => {
      const reply = world.command(id, { kind: 'push-message', id: name, payload });
      return reply.kind === 'refused' ? reply.error.kind : reply.kind;
    };
    expect(push('m1', { all: [big, big] })).toBe('too-large');
    expect(push('m2', { big })).toBe('ok');
    expect(push('m3', { big })).toBe('too-many');
    world.work('a');
    expect(world.outputOf(id, 'p')).toMatchObject({ count: 1 });
  });
});

describe('a variable', () => {
  it('that is wrapped once more in each round of a loop ends it at a depth that everybody can read', () => {
    const { world, id } = begin([
      taskOf('DO_WHILE', 'l', {
        loopCondition: 'true',
        inputParameters: { keepLastN: 1 },
        loopOver: [
          taskOf('SET_VARIABLE', 'v', { inputParameters: { v: ['${workflow.variables.v}'] } }),
        ],
      }),
    ]);
    expect(world.status(id)).toBe('FAILED');
    expect(world.reason(id)).toContain(
      `nested deeper than ${defaultValueLimits.valueDepthMax} levels`,
    );
  });
});

describe('the output of an execution', () => {
  it('that names too much ends it as FAILED without output', () => {
    const { world, id } = begin([taskOf('NOOP', 'n')], {
      outputParameters: { all: times(beyond) },
    });
    expect(world.status(id)).toBe('FAILED');
    expect(world.reason(id)).toBe(`The output of the workflow is larger than ${limit} bytes`);
    expect(world.output(id)).toEqual({});
  });

  it('of a fork whose branches together are too large ends it as FAILED without output', () => {
    const branches = ['a', 'b', 'c'];
    const { world, id } = begin([
      taskOf('FORK_JOIN', 'f', { forkTasks: branches.map((ref) => [simple(ref)]) }),
      taskOf('JOIN', 'j', { joinOn: branches }),
    ]);
    for (const ref of branches) world.work(ref, { big });
    expect(world.status(id)).toBe('FAILED');
    expect(world.output(id)).toEqual({});
  });

  it('is left out of an execution that fails for another reason', () => {
    const { world, id } = begin([simple('a', { retryCount: 0 })], {
      outputParameters: { all: times(2) },
    });
    world.report(id, 'a', 'FAILED_WITH_TERMINAL_ERROR', {}, { reasonForIncompletion: 'no' });
    expect([world.status(id), world.output(id)]).toEqual(['FAILED', {}]);
    expect(world.reason(id)).toContain("reason: 'no'");
  });
});
