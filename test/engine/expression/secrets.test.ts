// Secrets at hand-out (semantics 3.7).
import { describe, expect, it } from 'vitest';
import { mayHoldSecrets, resolveSecrets } from '../../../src/engine/expression/secrets.js';
import type { Json } from '../../../src/model/json.js';

const secrets = new Map([
  ['key', 's3cret'],
  ['db', '{"user": "u", "ports": [1, 2]}'],
]);
const resolve = (value: Json): Json => resolveSecrets(value, (name) => secrets.get(name));

describe('secrets', () => {
  it.each<[Json, Json]>([
    ['${workflow.secrets.key}', 's3cret'],
    ['${workflow.secrets.nosuch}', null],
    ['Bearer ${workflow.secrets.key}!', 'Bearer s3cret!'],
    ['a${workflow.secrets.nosuch}b', 'ab'],
    ['${workflow.secrets.db.user}', 'u'],
    ['${workflow.secrets.db.ports}', [1, 2]],
    ['${workflow.secrets.db.ports[1]} ${workflow.secrets.db.ports}', '2 [1,2]'],
    ['${workflow.secrets.key.user}', null],
    ['${workflow.input.x} ${workflow.secrets.key}', '${workflow.input.x} s3cret'],
    ['$${workflow.secrets.key}', '$${workflow.secrets.key}'],
  ])('%j', (value, expected) => {
    expect(resolve(value)).toEqual(expected);
  });

  it('are found at every level, and nothing else is copied', () => {
    const value = { a: [{ b: '${workflow.secrets.key}' }], c: { d: 1 } };
    const resolved = resolve(value) as typeof value;
    expect(resolved).toEqual({ a: [{ b: 's3cret' }], c: { d: 1 } });
    expect(resolved.c).toBe(value.c);
    expect(value.a[0]?.b).toBe('${workflow.secrets.key}');
    expect(resolve(value.c)).toBe(value.c);
  });

  it('can be ruled out by the text alone', () => {
    expect(mayHoldSecrets('{"a":"${workflow.secrets.key}"}')).toBe(true);
    expect(mayHoldSecrets('{"a":"${workflow.input.key}"}')).toBe(false);
  });
});
