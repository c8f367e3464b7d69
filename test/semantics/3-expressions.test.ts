// Semantics 3: expressions as executions see them, rule by rule. The evaluator itself has tables in
// test/engine/expression.
import { describe, expect, it } from 'vitest';
import { resolveSecrets } from '../../src/engine/expression/secrets.js';
import type { Json, JsonMap } from '../../src/model/json.js';
import { taskIdOf } from '../../src/std/ids.js';
import {
  begin,
  child,
  choose,
  dynamicFork,
  inline,
  loop,
  named,
  noRetries,
  retries,
  setVariable,
  simple,
  startOfTime,
  taskOf,
  tell,
  World,
} from './support.js';

const data = {
  s: 'text', n: 5, d: 1.5, t: true, z: null, l: [10, 20, 30], m: { a: 1, 'odd key': 2, 'dot.ted': 3, list: [{ n: 1 }, { n: 2 }] }, i: 1, key: 'a',
}; // prettier-ignore

function evaluated(value: Json, input: JsonMap = data, limits = {}): Json | undefined {
  const { world, id } = begin([simple('a', { inputParameters: { v: value } })], { input, limits });
  return world.inputOf(id, 'a')['v'];
}

describe('3.1 where expressions are evaluated', () => {
  it('3.1 in task parameters, at every depth of maps and lists', () => {
    expect(evaluated({ deep: [{ x: ['${workflow.input.n}', 'n=${workflow.input.n}'] }] })).toEqual({
      deep: [{ x: [5, 'n=5'] }],
    });
  });

  it('3.1 not in the values of the workflow input, in keys of maps, in results of expressions', () => {
    expect(evaluated('${workflow.input.x}', { x: '${workflow.input.y}', y: 1 })).toBe(
      '${workflow.input.y}',
    );
    expect(evaluated({ '${workflow.input.n}': 1 })).toEqual({ '${workflow.input.n}': 1 });
  });

  it('3.1 not in keys of cases nor in joinOn', () => {
    const { world, id } = begin(
      [
        choose('s', '${workflow.input.key}', {
          '${workflow.input.key}': [simple('x')],
          a: [simple('y')],
        }),
      ],
      { input: data },
    );
    expect([...world.open(id).openTasks].map(({ ref }) => ref)).toEqual(['y']);
  });

  it('3.1 in subWorkflowParam, and in the sink of an EVENT', () => {
    const { world, id } = begin(
      [
        taskOf('SUB_WORKFLOW', 'c', {
          subWorkflowParam: {
            name: 'in${workflow.input.rest}',
            version: 1,
            priority: '${workflow.input.v}',
          } as JsonMap,
        }),
      ],
      { workflowDefs: [named('inner', [simple('x')])], input: { rest: 'ner', v: 4 } },
    );
    expect(world.open(world.child(id, 'c')).execution.snapshot.def.name).toBe('inner');
    const event = begin([taskOf('EVENT', 'e', { sink: 'conductor:${workflow.input.s}' })], {
      input: data,
    });
    expect(event.world.inputOf(event.id, 'e')['sink']).toBe('conductor:text');
  });
});

describe('3.2 grammar', () => {
  it.each<[string, Json]>([
    ['${workflow.input.n} and ${workflow.input.s}', '5 and text'],
    ['line\n${workflow.input.n}\nline', 'line\n5\nline'],
    ['${', '${'],
    ['a ${workflow.input.n', 'a ${workflow.input.n'],
    ['a } ${workflow.input.n}', 'a } 5'],
    ['$${workflow.input.n} ${workflow.input.n}', '${workflow.input.n} 5'],
    ['$$${workflow.input.n}', '$${workflow.input.n}'],
    ['${}', ''],
    ['${   }', ''],
    ['${workflow.input.l[0]}', 10],
    ['${workflow.input.l[-1]}', 30],
    ['${workflow.input.l[0:2]}', [10, 20]],
    ['${workflow.input.l[*]}', [10, 20, 30]],
    ["${workflow.input.m['odd key']}", 2],
    ["${workflow.input.m['dot.ted']}", 3],
    ['${workflow.input.m.list[*].n}', [1, 2]],
    ['${workflow.input.m.list[?(@.n > 1)].n}', [2]],
    ['${workflow.input.l.length()}', 3],
    ['${$.workflow.input.n}', 5],
    ['${workflow.input.m.list[${workflow.input.i}].n}', 2],
    ['${workflow.input.m.${workflow.input.key}}', 1],
    ['${workflow.input.gone[*].x}', []],
    ['${workflow.input.gone.x}', null],
    ['${workflow.input.l[99]}', null],
    ['${workflow.input.[[[}', null],
    ['${nobody.output.x}', null],
  ])('3.2 %j gives %j', (template, value) => {
    expect(evaluated(template)).toEqual(value);
  });

  it('3.2.2 the unescape runs over the whole text, also inside a substituted value', () => {
    expect(evaluated('x ${workflow.input.v}', { v: '$${kept}' })).toBe('x ${kept}');
    expect(evaluated('${workflow.input.v}', { v: '$${kept}' })).toBe('$${kept}');
  });
});

describe('3.3 result type', () => {
  it.each<[string, Json]>([['n', 5], ['d', 1.5], ['t', true], ['z', null], ['l', [10, 20, 30]], ['m', data.m], ['s', 'text']])(
    '3.3 ${workflow.input.%s} alone keeps its type', (name, value) => {
      expect(evaluated(`\${workflow.input.${name}}`)).toEqual(value);
    },
  ); // prettier-ignore

  it.each<[string, string]>([
    ['n', '5'], ['d', '1.5'], ['t', 'true'], ['z', 'null'], ['s', 'text'],
  ])('3.3 ${workflow.input.%s} inside text is %s', (name, text) => {
    expect(evaluated(`<\${workflow.input.${name}}>`)).toBe(`<${text}>`);
  }); // prettier-ignore

  it('3.3 integers beyond 64 bits keep all digits', () => {
    const { world, id } = begin(
      [simple('a', { inputParameters: { v: 'x${workflow.input.big}' } })],
      { input: { big: 9007199254740991 } },
    );
    expect(world.inputOf(id, 'a')['v']).toBe('x9007199254740991');
  });

  it('3.3 the definition is never changed by an evaluation', () => {
    const task = simple('a', { inputParameters: { v: { n: '${workflow.input.n}' } } });
    const { world, id } = begin([loop('l', 2, [task])], { input: { n: 1 } });
    world.work('a');
    expect(world.inputOf(id, 'a__2')).toEqual({ v: { n: 1 } });
    expect(world.open(id).nodes.graph.nodes.get('a')?.config.inputParameters).toEqual({
      v: { n: '${workflow.input.n}' },
    });
  });
});

describe('3.4 the document', () => {
  it('3.4 the fields of workflow', () => {
    const names = [
      'status',
      'workflowId',
      'parentWorkflowId',
      'workflowType',
      'version',
      'correlationId',
      'reasonForIncompletion',
      'schemaVersion',
      'priority',
      'variables',
    ];
    const parameters = Object.fromEntries(names.map((name) => [name, `\${workflow.${name}}`]));
    const world = new World();
    const id = world.start(
      named('wf', [simple('a', { inputParameters: parameters })], { variables: { k: 1 } }),
      {},
      { correlationId: 'c', priority: 3 },
    );
    expect(world.inputOf(id, 'a')).toEqual({
      status: 'RUNNING', workflowId: id, parentWorkflowId: null, workflowType: 'wf', version: 1, correlationId: 'c', reasonForIncompletion: null,
      schemaVersion: 2, priority: null, variables: { k: 1 },
    }); // prettier-ignore
  });

  it('3.4 the fields of a task', () => {
    const names = [
      'taskType',
      'status',
      'referenceTaskName',
      'retryCount',
      'pollCount',
      'taskDefName',
      'scheduledTime',
      'startTime',
      'workflowInstanceId',
      'taskId',
      'reasonForIncompletion',
      'callbackAfterSeconds',
      'workerId',
      'iteration',
      'updateTime',
      'seq',
      'domain',
    ];
    const parameters = Object.fromEntries(names.map((name) => [name, `\${a.${name}}`]));
    const { world, id } = begin([
      simple('a', { name: 'work' }),
      simple('b', { inputParameters: { ...parameters, in: '${a.input}', out: '${a.output.o}' } }),
    ]);
    world.poll('work', { workerId: 'w9' });
    world.report(id, 'a', 'COMPLETED', { o: 1 }, { workerId: 'w9' });
    expect(world.inputOf(id, 'b')).toEqual({
      taskType: 'work', status: 'COMPLETED', referenceTaskName: 'a', retryCount: 0, pollCount: 1, taskDefName: 'work', scheduledTime: startOfTime,
      startTime: startOfTime, workflowInstanceId: id, taskId: taskIdOf(id, 1), reasonForIncompletion: null, callbackAfterSeconds: 0, workerId: 'w9',
      iteration: 0, updateTime: null, seq: null, domain: null, in: {}, out: 1,
    }); // prettier-ignore
  });

  it('3.4 the record behind a reference is its newest attempt', () => {
    const { world, id } = begin(
      [simple('a'), simple('b', { inputParameters: { n: '${a.retryCount}', o: '${a.output.o}' } })],
      { taskDefs: retries(1, 'a') },
    );
    world.work('a', { o: 1 }, 'FAILED');
    world.work('a', { o: 2 });
    expect(world.inputOf(id, 'b')).toEqual({ n: 1, o: 2 });
  });

  it('3.4 the partial output of a running task is visible', () => {
    const { world, id } = begin([
      ...[
        taskOf('FORK_JOIN', 'f', {
          forkTasks: [
            [simple('a')],
            [simple('b'), simple('c', { inputParameters: { p: '${a.output.part}' } })],
          ],
        }),
        taskOf('JOIN', 'j', { joinOn: ['a', 'c'] }),
      ],
    ]);
    world.report(id, 'a', 'IN_PROGRESS', { part: 7 });
    world.work('b');
    expect(world.inputOf(id, 'c')).toEqual({ p: 7 });
  });

  it('3.4 the outputs of a SWITCH, a JOIN, a loop, a dynamic fork and a child are readable', () => {
    const read = simple('z', {
      inputParameters: {
        s: '${s.output.selectedCase}',
        j: '${fj.output.x.n}',
        l: '${l.output.iteration}',
        l1: '${l.output.1.m.n}',
        c: '${c.output.n}',
        f: '${f.input.forkedTasks}',
      },
    });
    const { world, id } = begin(
      [
        choose('s', 'k', { k: [] }),
        ...dynamicFork('f', [simple('x')], {}),
        loop('l', 2, [simple('m')]),
        child('c', 'inner'),
        read,
      ],
      { workflowDefs: [named('inner', [simple('y')])] },
    );
    world.work('x', { n: 1 });
    world.work('m', { n: 2 });
    world.work('m', { n: 3 });
    world.work('y', { n: 4 });
    expect(world.inputOf(id, 'z')).toEqual({ s: 'k', j: 1, l: 2, l1: 2, c: 4, f: ['x'] });
  });
});

describe('3.5 environment names', () => {
  it('3.5 CPEWF_TASK_ID is the id of the task being mapped', () => {
    const { world, id } = begin([
      simple('a', { inputParameters: { id: '${CPEWF_TASK_ID}', text: 'x ${CPEWF_TASK_ID}' } }),
    ]);
    const taskId = taskIdOf(id, 1);
    expect(world.inputOf(id, 'a')).toEqual({ id: taskId, text: `x ${taskId}` });
  });

  it('3.5 it is not known to SWITCH and SET_VARIABLE: the text stays', () => {
    const { world, id } = begin([setVariable('v', { id: '${CPEWF_TASK_ID}' })]);
    expect(world.open(id).execution.variables.value).toEqual({ id: '${CPEWF_TASK_ID}' });
  });

  it('3.5 names of the process environment are not readable', () => {
    expect(evaluated('${PATH}')).toBeNull();
    expect(evaluated('${HOME}')).toBeNull();
  });
});

describe('3.7 secrets', () => {
  const stored = (value: Json): Json | undefined => evaluated(value);
  const resolve = (value: Json): Json =>
    resolveSecrets(value, (name) => ({ token: 's3', json: '{"user":{"name":"bob"}}' })[name]);

  it('3.7.1 stay literal in the stored input, also nested and inside text', () => {
    for (const text of [
      '${workflow.secrets.token}',
      'Bearer ${workflow.secrets.token}',
      'a ${workflow.secrets.${workflow.input.key}}',
    ]) {
      expect(stored(text)).toContain('${workflow.secrets.');
    }
  });

  it('3.7.2 whole string: the value or null; inside text: the value or nothing', () => {
    expect([resolve('${workflow.secrets.token}'), resolve('${workflow.secrets.none}')]).toEqual([
      's3',
      null,
    ]);
    expect([resolve('<${workflow.secrets.token}>'), resolve('<${workflow.secrets.none}>')]).toEqual(
      ['<s3>', '<>'],
    );
    expect(resolve('${workflow.secrets.json.user.name}')).toBe('bob');
  });
});

describe('3.8 inputTemplate', () => {
  const template = { k: 'd', e: '${workflow.input.n}' };

  it('3.8 absent and literally null keys are added before the evaluation', () => {
    const { world, id } = begin([simple('a', { inputParameters: { k: null, own: 1 } })], {
      taskDefs: [{ name: 'a', inputTemplate: template }],
      input: data,
    });
    expect(world.inputOf(id, 'a')).toEqual({ k: 'd', e: 5, own: 1 });
  });

  it('3.8 a key that evaluates to null takes the raw template value', () => {
    const { world, id } = begin(
      [simple('a', { inputParameters: { e: '${workflow.input.gone}' } })],
      { taskDefs: [{ name: 'a', inputTemplate: template }], input: data },
    );
    expect(world.inputOf(id, 'a')).toEqual({ k: 'd', e: '${workflow.input.n}' });
  });

  it('3.8 nested maps are not merged, given values win', () => {
    const { world, id } = begin([simple('a', { inputParameters: { m: { own: 1 } } })], {
      taskDefs: [{ name: 'a', inputTemplate: { m: { t: 1, own: 0 } } }],
    });
    expect(world.inputOf(id, 'a')).toEqual({ m: { own: 1 } });
  });

  it.each(['WAIT', 'HUMAN', 'SET_VARIABLE', 'SUB_WORKFLOW', 'TERMINATE'])(
    '3.8 is not used by %s',
    (type) => {
      const more = {
        subWorkflowParam: { name: 'inner', version: 1 },
        inputParameters: { own: 1, terminationStatus: 'COMPLETED' },
      };
      const { world, id } = begin([taskOf(type, 'x', more)], {
        taskDefs: [{ name: 'x', inputTemplate: { t: 1 } }],
        workflowDefs: [named('inner', [])],
      });
      expect(JSON.stringify(world.inputOf(id, 'x'))).not.toContain('"t":1');
    },
  );

  it('3.8 is applied again by a retry', () => {
    const { world, id } = begin(
      [simple('a', { inputParameters: { own: '${workflow.variables.v}' } })],
      {
        taskDefs: [{ name: 'a', retryCount: 1, retryDelaySeconds: 0, inputTemplate: { own: 'd' } }],
      },
    );
    world.work('a', {}, 'FAILED');
    expect(world.inputOf(id, 'a')).toEqual({ own: 'd' });
  });
});

describe('3.10 scripts', () => {
  it('3.10 $ is a copy, names of evaluators are case-sensitive', () => {
    const { world, id } = begin([
      inline('i', '$.l.push(4); $.l.length', { l: [1] }),
      taskOf('INLINE', 'bad', {
        optional: true,
        inputParameters: { evaluatorType: 'JavaScript', expression: '1' },
      }),
      simple('z'),
    ]);
    expect([world.outputOf(id, 'i'), world.inputOf(id, 'i')['l']]).toEqual([{ result: 2 }, [1]]);
    expect(world.task(id, 'bad').status).toBe('COMPLETED_WITH_ERRORS');
  });

  it('3.10 a whole double is an integer, undefined is null', () => {
    const { world, id } = begin([inline('i', '6 / 2'), inline('u', 'undefined')]);
    expect([world.outputOf(id, 'i'), world.outputOf(id, 'u')]).toEqual([
      { result: 3 },
      { result: null },
    ]);
  });

  it('3.10 a failing script in a required task ends the workflow, in an optional one it does not', () => {
    const required = begin([inline('i', 'nope'), simple('z')]);
    expect(required.world.status(required.id)).toBe('FAILED');
    const optional = begin([{ ...inline('i', 'nope'), optional: true }, simple('z')], {
      taskDefs: noRetries('z'),
    });
    tell(optional.world, optional.id, { kind: 'decide' });
    expect(optional.world.task(optional.id, 'i').status).toBe('COMPLETED_WITH_ERRORS');
  });
});
