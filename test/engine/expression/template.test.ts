// Expressions against the recorded answers and semantics 3.1 to 3.8, 9.3.
import { describe, expect, it } from 'vitest';
import type { ExpressionDocument } from '../../../src/engine/expression/document.js';
import { evaluateInput } from '../../../src/engine/expression/task-input.js';
import { compileTemplate, evaluateTemplate } from '../../../src/engine/expression/template.js';
import type { Json, JsonMap } from '../../../src/model/json.js';

interface Given {
  workflow?: JsonMap;
  tasks?: { [ref: string]: JsonMap };
  environment?: { [name: string]: string };
  taskId?: string;
  objectsInText?: 'json' | 'java';
}

function documentOf(given: Given): ExpressionDocument {
  const read = (map: JsonMap | undefined, key: string): Json | undefined =>
    map !== undefined && Object.hasOwn(map, key) ? map[key] : undefined;
  return {
    workflow: (field) => read(given.workflow, field),
    task: (ref) => {
      const task =
        given.tasks !== undefined && Object.hasOwn(given.tasks, ref) ? given.tasks[ref] : undefined;
      return task && { field: (name) => read(task, name) };
    },
    environment: (name) => given.environment?.[name],
    environmentVariable: (name) => given.environment?.[name],
    ...(given.taskId === undefined ? {} : { taskId: given.taskId }),
    ...(given.objectsInText === undefined ? {} : { objectsInText: given.objectsInText }),
  };
}

function evaluate(template: Json, given: Given): Json {
  return evaluateTemplate(compileTemplate(template), documentOf(given));
}

const result = { k: [10, { n: 'deep' }], 'odd key': 1, nul: null };
const recorded: Given = {
  workflow: {
    input: { q: 'Q' },
    workflowType: 'P_xp',
    version: 1,
    status: 'RUNNING',
    correlationId: 'corr',
  },
  tasks: { a: { output: { result }, taskType: 'INLINE' } },
};

describe('expressions of the recorded scenario', () => {
  it.each<[string, Json, Json]>([
    ['whole value', '${a.output.result}', result],
    ['index', '${a.output.result.k[0]}', 10],
    ['member of a list element', '${a.output.result.k[1].n}', 'deep'],
    ['bracket with blanks', "${a.output.result['odd key']}", 1],
    ['missing member', '${a.output.result.zip}', null],
    ['two in one text', '${a.output.result.k[0]}-${workflow.input.q}', '10-Q'],
    [
      'list inside text as JSON (decided difference)',
      'o=${a.output.result.k}',
      'o=[10,{"n":"deep"}]',
    ],
    ['escape', '$${not.me}', '${not.me}'],
    [
      'workflow fields',
      '${workflow.workflowType} ${workflow.version} ${workflow.status}',
      'P_xp 1 RUNNING',
    ],
    ['correlation id', '${workflow.correlationId}', 'corr'],
    ['text without expression', '$.a', '$.a'],
    ['unbalanced', '${', '${'],
    ['inside maps and lists', { n: [{ m: '${workflow.input.q}' }] }, { n: [{ m: 'Q' }] }],
    ['wildcard gives only what is found', '${a.output.result.k[*].n}', ['deep']],
    ['null member', '${a.output.result.nul}', null],
    ['task field', '${a.taskType}', 'INLINE'],
    ['length function', '${a.output.result.k.length()}', 2],
  ])('%s', (_name, template, expected) => {
    expect(evaluate(template, recorded)).toEqual(expected);
  });

  it('writes objects in text in Java form behind the switch', () => {
    expect(evaluate('o=${a.output.result.k}', { ...recorded, objectsInText: 'java' })).toBe(
      'o=[10, {n=deep}]',
    );
  });

  it.each([
    ['${workflow.input.l[*]}', String.raw`t ["a\/b",{"a":1,"b":null},true]`],
    ['${workflow.input.l[1:2]}', 't [{"a":1,"b":null}]'],
    ['${workflow.input..a}', 't [1]'],
    ['${workflow.input.${workflow.input.k}}', String.raw`t ["a\/b",{"a":1,"b":null},true]`],
    ['${workflow.input.l}', 't [a/b, {a=1, b=null}, true]'],
    ['${workflow.input.l.length()}', 't 3'],
  ])('what an indefinite path has found is JSON behind the switch too: %s', (text, expected) => {
    const input = { l: ['a/b', { a: 1, b: null }, true], k: 'l[*]' };
    expect(evaluate(`t ${text}`, { workflow: { input }, objectsInText: 'java' })).toBe(expected);
  });
});

describe('whole expressions and texts', () => {
  const given: Given = {
    workflow: {
      input: {
        n: 5,
        f: 1.5,
        big: 12345678901234567890n,
        huge: 1e20,
        small: 0.00001,
        yes: true,
        nothing: null,
        m: { a: 1 },
        evil: '${workflow.input.n}',
        esc: '$${x}',
        key: 'f',
        i: 1,
        list: [3, 4, 5],
        text: 'q',
      },
    },
  };
  it.each<[string, Json]>([
    ['${workflow.input.n}', 5],
    ['v${workflow.input.n}', 'v5'],
    ['${missing.output.x}', null],
    ['a${missing.output.x}', 'anull'],
    ['${}', ''],
    ['${   }', ''],
    ['a${}b', 'ab'],
    ['${workflow.input.big}', 12345678901234567890n],
    ['v${workflow.input.big}', 'v12345678901234567890'],
    ['v${workflow.input.huge}', 'v1.0E20'],
    ['v${workflow.input.small}', 'v1.0E-5'],
    ['v${workflow.input.f} ${workflow.input.yes}', 'v1.5 true'],
    ['${workflow.input.evil}', '${workflow.input.n}'],
    ['a ${workflow.input.evil}', 'a ${workflow.input.n}'],
    ['${workflow.input.esc}', '$${x}'],
    ['a${workflow.input.esc}', 'a${x}'],
    ['${workflow.input.${workflow.input.key}}', 1.5],
    ['${workflow.input.list[${workflow.input.i}]}', 4],
    ['${workflow.${workflow.input.${workflow.input.none}${workflow.input.text}}.x}', null],
    ['${unclosed ${workflow.input.n}', '${unclosed 5'],
    ['line\n${workflow.input.n}\nline', 'line\n5\nline'],
    ['$$${workflow.input.n}', '$${workflow.input.n}'],
    ['{"a": "${workflow.input.n}"}', '{"a": "5"}'],
    ['${$.workflow.input.n}', 5],
    ["${$['workflow']['input']['n']}", 5],
    ['${workflow.input.n n}', null],
    ['${workflow.input.[}', null],
    ['${workflow.nosuch}', null],
    ['${ref__2.output.x}', null],
  ])('%s', (template, expected) => {
    expect(evaluate(template, given)).toEqual(expected);
  });

  it('leaves keys, numbers and booleans alone', () => {
    const template = { '${workflow.input.n}': [1, true, null, 2n] };
    expect(evaluate(template, given)).toEqual(template);
  });

  it('gives the same frozen object for a template without expressions', () => {
    const template = compileTemplate({ a: { b: ['x', '$${y}'] } });
    const first = evaluateTemplate(template, documentOf({}));
    expect(first).toEqual({ a: { b: ['x', '${y}'] } });
    expect(evaluateTemplate(template, documentOf({}))).toBe(first);
    expect(Object.isFrozen((first as { a: { b: Json } }).a.b)).toBe(true);
  });

  it('never changes nor freezes the definition', () => {
    const source = { a: { b: ['x'] }, c: '${workflow.input.n}' };
    evaluate(source, given);
    expect(Object.isFrozen(source.a.b)).toBe(false);
    expect(source).toEqual({ a: { b: ['x'] }, c: '${workflow.input.n}' });
  });
});

describe('names that are no paths', () => {
  it('gives the task id, and leaves the text when there is none', () => {
    expect(evaluate('id ${CPEWF_TASK_ID}', { taskId: 't1' })).toBe('id t1');
    expect(evaluate('id ${CPEWF_TASK_ID}', {})).toBe('id ${CPEWF_TASK_ID}');
    expect(evaluate('${CPEWF_TASK_ID}', {})).toBe('${CPEWF_TASK_ID}');
  });

  it('reads the environment, and inside a value that is JSON', () => {
    const environment = { PLAIN: 'x', OBJ: '{"a":{"b":[1,2]}}' };
    expect(evaluate('${workflow.env.PLAIN}', { environment })).toBe('x');
    expect(evaluate('${workflow.env.OBJ.a.b[1]}', { environment })).toBe(2);
    expect(evaluate('${workflow.env.OBJ.$.a.b}', { environment })).toEqual([1, 2]);
    expect(evaluate('${workflow.env.PLAIN.a}', { environment })).toBeNull();
    expect(evaluate('${workflow.env.NOSUCH}', { environment })).toBeNull();
    expect(evaluate('${PLAIN}', { environment })).toBe('x');
    expect(evaluate('a ${PLAIN} b', { environment })).toBe('a x b');
    expect(evaluate('${NOSUCH}', { environment })).toBeNull();
  });

  it('leaves secrets literally, also with a nested name', () => {
    const workflow = { input: { name: 'db' } };
    expect(evaluate('${workflow.secrets.db}', {})).toBe('${workflow.secrets.db}');
    expect(evaluate('u:${workflow.secrets.db.user}', {})).toBe('u:${workflow.secrets.db.user}');
    expect(evaluate('${workflow.secrets.${workflow.input.name}}', { workflow })).toBe(
      '${workflow.secrets.db}',
    );
  });
});

describe('hostile names', () => {
  it('sees own properties only', () => {
    const given: Given = { workflow: { input: { a: {} } }, tasks: { t: { output: {} } } };
    for (const path of [
      'constructor',
      '__proto__',
      'toString',
      'a.constructor.name',
      'a.__proto__',
    ]) {
      expect(evaluate(`\${workflow.input.${path}}`, given)).toBeNull();
    }
    expect(evaluate('${__proto__.output}', given)).toBeNull();
    expect(evaluate('${t.constructor}', given)).toBeNull();
  });

  it('keeps a key called __proto__ as a key', () => {
    const template = JSON.parse('{"__proto__": "${workflow.input.n}", "b": 1}') as Json;
    const value = evaluate(template, { workflow: { input: { n: { polluted: true } } } });
    expect(Object.keys(value as object)).toEqual(['__proto__', 'b']);
    expect((value as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

describe('input templates', () => {
  const given: Given = { workflow: { input: { n: 5 } } };
  const input = (inputTemplate: JsonMap | undefined, parameters: JsonMap): JsonMap =>
    evaluateInput(inputTemplate, compileTemplate(parameters), documentOf(given));

  it('adds absent and literally null keys before the evaluation', () => {
    expect(input({ a: '${workflow.input.n}', b: 2 }, { b: null })).toEqual({ a: 5, b: 2 });
  });

  it('takes the raw template value where the evaluation gives null', () => {
    expect(
      input({ k: 'd', r: '${workflow.input.n}' }, { k: '${x.output.missing}', r: '${x.output.y}' }),
    ).toEqual({
      k: 'd',
      r: '${workflow.input.n}',
    });
  });

  it('lets given values win and does not merge inside', () => {
    expect(input({ k: { a: 1, b: 2 } }, { k: { a: '${workflow.input.n}' } })).toEqual({
      k: { a: 5 },
    });
  });

  it('is the plain evaluation without template', () => {
    expect(input(undefined, { k: '${workflow.input.n}' })).toEqual({ k: 5 });
    expect(input({}, { k: null })).toEqual({ k: null });
  });
});
