// When a secret that an update keeps has to be sent again (docs/access.md, Kept secrets).
import { describe, expect, it } from 'vitest';
import { changedFields, checkKeptSecrets, isBareSecret } from '../../src/model/kept-secrets.js';
import { parseJson } from '../../src/model/json-text.js';
import type { JsonMap } from '../../src/model/json.js';

describe('kept secrets', () => {
  it('are refused with their names and those of the fields that changed', () => {
    const both = { kept: ['password', 'api_key'], changed: ['endpoint', 'tls'] };
    expect(() => checkKeptSecrets(both)).toThrow(
      'password, api_key must be sent again, because of a change of endpoint, tls: ' +
        'a secret that is kept (***) stays with the fields that decide where it goes',
    );
    const many = { kept: Array.from({ length: 25 }, (_, i) => `k${i}`), changed: ['endpoint'] };
    expect(() => checkKeptSecrets(many)).toThrow(/k19 and 5 more must be sent again/);
  });

  it.each([
    ['nothing is kept', { kept: [], changed: ['endpoint'] }],
    ['nothing changed', { kept: ['password'], changed: [] }],
  ])('are let through where %s', (_what, update) => {
    expect(() => checkKeptSecrets(update)).not.toThrow();
  });
});

describe('the fields that changed', () => {
  it.each([
    ['a text', { a: 'x' }, { a: 'y' }, ['a']],
    ['a type', { port: 1 }, { port: '1' }, ['port']],
    ['what is new and what is gone', { a: 1, b: 1 }, { b: 1, c: 1 }, ['a', 'c']],
    ['what is empty', { a: '', b: null }, { c: '', d: null }, []],
    ['the order of members', { a: { x: 1, y: [1, 2] } }, { a: { y: [1, 2], x: 1 } }, []],
    ['a member', { a: { x: 1 } }, { a: { x: 2 } }, ['a']],
    ['the order of a list', { a: [1, 2] }, { a: [2, 1] }, ['a']],
    ['a list for a map', { a: ['x'] }, { a: { 0: 'x' } }, ['a']],
    ['an integer beyond 2^53', { a: 9007199254740993n }, { a: 9007199254740992n }, ['a']],
  ] as readonly [string, JsonMap, JsonMap, string[]][])(
    'are found: %s',
    (_what, before, after, names) => {
      expect(changedFields(before, after)).toEqual(names);
    },
  );

  it('are found under names that all objects inherit', () => {
    const after = parseJson('{"constructor":"x","toString":"y","__proto__":"z"}') as JsonMap;
    expect(changedFields({}, after)).toEqual(['__proto__', 'constructor', 'toString']);
  });
});

describe('a bare secret', () => {
  it.each(['password', 'sasl.password', 'api_key', 'apiKey', 'clientSecret', 'X-Api-Key'])(
    'is %s',
    (name) => expect(isBareSecret(name)).toBe(true),
  );
  it.each(['tokenUrl', 'secretEndpoint', 'header', 'file', 'tlsFile', 'serviceAccountCredentials'])(
    'is not %s',
    (name) => expect(isBareSecret(name)).toBe(false),
  );
});
