import { describe, expect, it } from 'vitest';
import { object } from '../../src/model/schema.js';
import {
  anyMap,
  choice,
  custom,
  filledText,
  flag,
  integer,
  list,
  text,
  texts,
  time,
} from '../../src/model/field.js';
import { noun } from '../../src/declare/noun.js';
import { record } from '../../src/model/record.js';
import { wrongField } from '../../src/model/errors.js';
import type { JsonMap } from '../../src/model/json.js';

const part = record('Part', { size: integer({ required: true, min: 1, max: 9 }) });

const fields = {
  name: text({ required: true, charsMax: 5, pattern: /^[a-z]+$/, rule: 'may hold a to z' }),
  kind: choice(['round', 'square'], { default: 'round' }),
  isHeavy: flag({ default: false }),
  mayRoll: flag(),
  zone: text({ default: 'UTC', about: 'Where' }),
  note: filledText(),
  at: time({ min: 0 }),
  parts: list(part, { itemsMax: 2 }),
  words: texts({ itemsMax: 2 }),
  more: anyMap(),
  even: custom(object('Even', {}), (value, path) => {
    if (Number(value) % 2 === 0) return Number(value);
    throw wrongField(path, 'must be even');
  }),
};

function nounWith(upgrades: readonly ((stored: JsonMap) => JsonMap)[]) {
  return noun({
    title: 'Thing',
    written: fields,
    beside: { label: text() },
    kept: { createTime: time({ required: true }) },
    hidden: { secret: text({ required: true }) },
    derived: { age: integer() },
    check({ isHeavy, mayRoll }) {
      if (isHeavy && mayRoll) throw wrongField('mayRoll', 'must not be true of what is heavy');
    },
    stored: { kind: 'schema', idOf: ({ name }) => name, upgrades },
  });
}

const thing = nounWith([]);
const least = { name: 'a' };
const parsed = {
  ...{ name: 'a', kind: 'round', isHeavy: false, zone: 'UTC', parts: [], words: [] },
};

describe('the parser of a noun', () => {
  it('fills in defaults and leaves out what is absent', () => {
    expect(thing.request.parse(least)).toEqual(parsed);
  });

  it('reads with the leniency of the wire', () => {
    const sent = {
      ...{ name: 'b', kind: 1, isHeavy: 'true', mayRoll: null, zone: '', note: '', at: '12' },
      ...{ parts: [{ size: '3' }], words: [1, null], more: { any: 1 }, even: 4, label: 7 },
    };
    expect(thing.request.parse({ ...sent, unknown: 1 })).toEqual({
      ...{ name: 'b', kind: 'square', isHeavy: true, zone: 'UTC', at: 12 },
      ...{ parts: [{ size: 3 }], words: ['1', ''], more: { any: 1 }, even: 4, label: '7' },
    });
    expect(thing.request.parse({ ...least, isHeavy: null, at: 0 })).toEqual(parsed);
  });

  it.each([
    [{}, 'name is required'],
    [{ name: ' ' }, 'name is required'],
    [{ name: 'abcdef' }, 'name may have 5 characters at most'],
    [{ name: 'A' }, 'name may hold a to z'],
    [{ ...least, kind: 'flat' }, 'kind must be one of round, square'],
    [{ ...least, isHeavy: 'no' }, 'isHeavy must be true or false'],
    [{ ...least, at: -1 }, 'at must not be negative'],
    [{ ...least, parts: [{}] }, 'parts[0].size is required'],
    [{ ...least, parts: [{ size: 0 }] }, 'parts[0].size must be 1 or more'],
    [{ ...least, parts: [{ size: 10 }] }, 'parts[0].size must be 9 or less'],
    [{ ...least, parts: Array(3).fill({ size: 1 }) }, 'parts may have 2 entries at most'],
    [{ ...least, words: ['a', 'b', 'c'] }, 'words may have 2 entries at most'],
    [{ ...least, more: [] }, 'more must be an object'],
    [{ ...least, even: 3 }, 'even must be even'],
    [{ ...least, isHeavy: true, mayRoll: true }, 'mayRoll must not be true of what is heavy'],
    [[], 'The body must be an object'],
  ])('refuses %j', (sent, sentence) => {
    expect(() => thing.request.parse(sent)).toThrow(sentence);
  });
});

describe('the forms of a noun', () => {
  it('tell what a request must have and what a reply always has', () => {
    expect(thing.request.schema).toMatchObject({ title: 'ThingRequest', required: ['name'] });
    expect(thing.shown.schema.required).toEqual([
      ...['name', 'kind', 'isHeavy', 'zone', 'parts', 'words', 'createTime'],
    ]);
    expect(Object.keys(thing.shown.schema.properties ?? {})).not.toContain('secret');
    expect(thing.request.schema.properties).toMatchObject({
      zone: { type: 'string', description: 'Where' },
      name: { maxLength: 5 },
    });
  });
});

describe('a stored record', () => {
  const stored = { ...thing.request.parse(least), createTime: 1, secret: 's' };

  it('is shown without what is hidden, with what is derived', () => {
    expect(thing.toJson(stored, { age: 2 })).toEqual({ ...parsed, createTime: 1, age: 2 });
  });

  it('is read as it was written', () => {
    expect(thing.record.read(thing.record.write(stored))).toEqual(stored);
    expect(JSON.parse(thing.record.write(stored))).toEqual(stored);
  });

  it('of an earlier version is made one of the newest', () => {
    const upgrades = [
      ({ title, ...rest }: JsonMap) => ({ ...rest, name: title ?? '' }),
      (old: JsonMap) => ({ ...old, zone: 'CET' }),
    ];
    const newer = nounWith(upgrades);
    expect(newer.record.read('{"title":"a"}')).toEqual({ name: 'a', zone: 'CET' });
    expect(newer.record.read('{"name":"a","@version":2}')).toEqual({ name: 'a', zone: 'CET' });
    const text = newer.record.write(stored);
    expect(newer.record.read(text)).toEqual(stored);
    expect(() => thing.record.read(text)).toThrow('version 3 was written by a newer server');
  });
});
