// Fields of actions against a message (semantics 6.2, 6.3).
import { describe, expect, it } from 'vitest';
import { parseJson } from '../../../src/model/json-text.js';
import type { Json } from '../../../src/model/json.js';
import {
  expandInlineJson,
  resolveFields,
} from '../../../src/areas/events/handle/resolve-fields.js';

const message = { a: { b: [1, { c: 'x' }] }, n: 7, key: 'n', nothing: null };
const environment = (name: string): string | undefined => (name === 'HOME_OF' ? 'here' : undefined);

function resolved(value: Json, from: Json = message): Json | undefined {
  return resolveFields({ value }, { message: from, environment })['value'];
}

describe('a field of an action', () => {
  it.each<[Json, Json]>([
    ['plain', 'plain'],
    ['${n}', 7],
    ['${$.a.b}', [1, { c: 'x' }]],
    ['${a.b[1].c}', 'x'],
    ['n is ${n}, a is ${a}', 'n is 7, a is {"b":[1,{"c":"x"}]}'],
    ['${nowhere}', null],
    ['${${key}}', 7],
    ['$${n}', '${n}'],
    ['${workflow.secrets.token}', '${workflow.secrets.token}'],
    ['${workflow.env.HOME_OF}', 'here'],
    ['${workflow.env.PATH}', null],
    [[{ deep: '${n}' }], [{ deep: 7 }]],
    [true, true],
  ])('%j becomes %j', (field, value) => {
    expect(resolved(field)).toEqual(value);
  });

  it('reads nothing from a message that is a text', () => {
    expect(resolved('${a}', 'a: 1')).toBeNull();
  });

  it('cannot reach a prototype', () => {
    const fields = parseJson('{"__proto__": {"x": "${n}"}}') as { [key: string]: Json };
    const result = resolveFields(fields, { message, environment });
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
    expect(Object.keys(result)).toEqual(['__proto__']);
  });
});

describe('JSON inside texts', () => {
  it('is read in maps at any depth, not in lists or other such texts, and only where it is JSON', () => {
    const sent = {
      a: { b: '[1]', c: '{"d":"[2]"}' },
      list: ['{"x":1}', { y: '[2]' }],
      no: '{oops',
      text: 'x',
    };
    expect(expandInlineJson(sent, parseJson)).toEqual({
      ...{ a: { b: [1], c: { d: '[2]' } }, no: '{oops', text: 'x' },
      list: ['{"x":1}', { y: [2] }],
    });
  });
});
