// Semantics 9.3: edge cases of expressions and data, line by line (72 is about registration:
// test/model; 74 and 75 need the HTTP task: test/system-task).
import { describe, expect, it } from 'vitest';
import type { Json, JsonMap } from '../../src/model/json.js';
import { resolveSecrets } from '../../src/engine/expression/secrets.js';
import {
  begin,
  child,
  dynamicFork,
  inline,
  loop,
  named,
  picture,
  setVariable,
  simple,
  taskOf,
  World,
} from './support.js';

/** What a task gets whose only parameter is `value`. */
function evaluated(value: Json, input: JsonMap = {}): Json | undefined {
  const { world, id } = begin([simple('a', { inputParameters: { v: value } })], { input });
  return world.inputOf(id, 'a')['v'];
}

describe('9.3 expressions', () => {
  it('9.3.60 a whole expression keeps the type, inside text it is text', () => {
    expect(evaluated('${workflow.input.n}', { n: 5 })).toBe(5);
    expect(evaluated('v${workflow.input.n}', { n: 5 })).toBe('v5');
  });

  it('9.3.61 missing data is null, inside text "null"', () => {
    expect(evaluated('${missing.output.x}')).toBeNull();
    expect(evaluated('a${missing.output.x}')).toBe('anull');
  });

  it('9.3.62 an object inside text is JSON (decided difference), behind a switch {a=1} and [1, 2]', () => {
    const input = { m: { a: 1 }, l: [1, 2] };
    expect(evaluated('m ${workflow.input.m} l ${workflow.input.l}', input)).toBe(
      'm {"a":1} l [1,2]',
    );
    const { world, id } = begin(
      [simple('a', { inputParameters: { v: 'm ${workflow.input.m} l ${workflow.input.l}' } })],
      {
        input,
        limits: { objectsInText: 'java' },
      },
    );
    expect(world.inputOf(id, 'a')['v']).toBe('m {a=1} l [1, 2]');
  });

  it('9.3.63 $${…} is the literal', () => {
    expect(evaluated('x $${workflow.input.x}', { x: 1 })).toBe('x ${workflow.input.x}');
    expect(evaluated('$${workflow.input.x}', { x: 1 })).toBe('${workflow.input.x}');
  });

  it('9.3.64 inner expressions resolve first, at any depth', () => {
    const input = { map: { k: ['p', 'q'] }, key: 'k', i: 1, names: { which: 'key' } };
    expect(
      evaluated('${workflow.input.map.${workflow.input.key}[${workflow.input.i}]}', input),
    ).toBe('q');
    expect(
      evaluated('${workflow.input.map.${workflow.input.${workflow.input.names.which}}[0]}', input),
    ).toBe('p');
  });

  it('9.3.65 a value that contains ${…} is not resolved again, except in dynamic fork inputs', () => {
    const input = { x: '${workflow.input.y}', y: 'deep' };
    expect(evaluated('${workflow.input.x}', input)).toBe('${workflow.input.y}');
    const { world, id } = begin(
      dynamicFork('f', [simple('d')], { d: { v: '${workflow.input.x}' } }),
      { input },
    );
    expect(world.inputOf(id, 'd')['v']).toBe('deep');
  });

  it('9.3.66 a parameter that gives null takes the value of the inputTemplate', () => {
    const { world, id } = begin([simple('a', { inputParameters: { k: '${x.output.missing}' } })], {
      taskDefs: [{ name: 'a', inputTemplate: { k: 'd' } }],
    });
    expect(world.inputOf(id, 'a')).toEqual({ k: 'd' });
  });

  it('9.3.67 a reference with suffix gives null, without it the newest iteration', () => {
    const { world, id } = begin([
      loop('l', 2, [simple('a')]),
      simple('z', { inputParameters: { suffix: '${a__2.output.n}', plain: '${a.output.n}' } }),
    ]);
    world.work('a', { n: 1 });
    world.work('a', { n: 2 });
    expect(world.inputOf(id, 'z')).toEqual({ suffix: null, plain: 2 });
  });

  it('9.3.70 endTime of a finished task is its real end in the next task', () => {
    const { world, id } = begin([
      simple('a'),
      simple('b', { inputParameters: { at: '${a.endTime}' } }),
    ]);
    world.pass(1234);
    world.work('a');
    expect(world.inputOf(id, 'b')['at']).toBe(world.now);
  });

  it('9.3.71 outputParameters of a task that never ran give the key with null', () => {
    const { world, id } = begin([simple('a')], {
      def: { outputParameters: { gone: '${zz.output.x}', a: '${a.output.n}' } },
    });
    world.work('a', { n: 1 });
    expect(world.output(id)).toEqual({ gone: null, a: 1 });
  });
});

describe('9.3 secrets', () => {
  it('9.3.68 a secret is stored literally and resolved in the copy that is handed out', () => {
    const text = 'Bearer ${workflow.secrets.token}';
    const { world, id } = begin([
      simple('a', { inputParameters: { auth: text, whole: '${workflow.secrets.token}' } }),
    ]);
    expect(world.inputOf(id, 'a')).toEqual({ auth: text, whole: '${workflow.secrets.token}' });
    const handedOut = resolveSecrets(world.inputOf(id, 'a'), (name) =>
      name === 'token' ? 's3' : undefined,
    );
    expect(handedOut).toEqual({ auth: 'Bearer s3', whole: 's3' });
  });

  it('9.3.69 a child stores the literal and resolves it at its own tasks', () => {
    const { world, id } = begin(
      [child('c', 'inner', { inputParameters: { s: '${workflow.secrets.token}' } })],
      {
        workflowDefs: [
          named('inner', [simple('a', { inputParameters: { s: '${workflow.input.s}' } })]),
        ],
      },
    );
    const inner = world.child(id, 'c');
    expect(world.open(inner).execution.input.value).toEqual({ s: '${workflow.secrets.token}' });
    expect(world.inputOf(inner, 'a')).toEqual({ s: '${workflow.secrets.token}' });
  });
});

describe('9.3 data', () => {
  it('9.3.72 template literals survive in a nested INLINE only as $${x}', () => {
    const script = 'var x = 2; `n $${x}`';
    const { world, id } = begin([loop('l', 1, [inline('i', script)])]);
    expect(world.outputOf(id, 'i__1')).toEqual({ result: 'n 2' });
  });

  it('9.3.73 a script that mutates $ leaves the stored input unchanged', () => {
    const { world, id } = begin([inline('i', '$.m.k = 2; $.n = 3; $.m.k', { m: { k: 1 } })]);
    expect(world.outputOf(id, 'i')).toEqual({ result: 2 });
    expect(world.inputOf(id, 'i')['m']).toEqual({ k: 1 });
  });

  it('9.3.76 a JQ filter that yields nothing gives null', () => {
    const { world, id } = begin([
      taskOf('JSON_JQ_TRANSFORM', 'q', { inputParameters: { queryExpression: '.a.b' } }),
    ]);
    expect(world.outputOf(id, 'q')).toEqual({ result: null, resultList: [null] });
  });

  it('9.3.77 variables beyond the limit: FAILED_WITH_TERMINAL_ERROR and the variables as before', () => {
    const { world, id } = begin(
      [setVariable('small', { a: 1 }), setVariable('large', { b: 'x'.repeat(200) })],
      {
        limits: { variablesBytesMax: 100 },
      },
    );
    expect(picture(world, id)).toEqual(['small COMPLETED', 'large FAILED_WITH_TERMINAL_ERROR']);
    expect(world.open(id).execution.variables.value).toEqual({ a: 1 });
    expect(world.status(id)).toBe('FAILED');
  });

  it('9.3.78 two in-line tasks in sequence run in one decide, the second with the value of the first', () => {
    const world = new World({ reloads: false });
    const id = world.start(
      named('wf', [
        taskOf('JSON_JQ_TRANSFORM', 'q', { inputParameters: { queryExpression: '.n', n: 4 } }),
        inline('i', '$.n + 1', { n: '${q.output.result}' }),
      ]),
    );
    expect([world.status(id), world.outputOf(id, 'i')]).toEqual(['COMPLETED', { result: 5 }]);
  });
});
