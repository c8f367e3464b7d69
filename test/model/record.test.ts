import { describe, expect, it } from 'vitest';
import { integer as integerSchema } from '../../src/model/schema.js';
import { integer, long, optionalList, part, text, texts, told } from '../../src/model/field.js';
import { noun } from '../../src/declare/noun.js';
import { record, sentList } from '../../src/model/record.js';
import { wrongField } from '../../src/model/errors.js';

const note = record('Note', {
  said: text({ required: true, mayBeEmpty: true }),
  words: texts({
    check: (words, path) => {
      if (words.includes('never')) throw wrongField(path, 'may not hold never');
    },
  }),
});

describe('a record', () => {
  it('takes an empty text as given where it may be empty', () => {
    expect(note.parse({ said: '' })).toEqual({ said: '', words: [] });
    expect(() => note.parse({})).toThrow('said is required');
  });

  it('holds texts to a rule of their own', () => {
    expect(note.parse({ said: 'a', words: ['ever'] }).words).toEqual(['ever']);
    expect(() => note.parse({ said: 'a', words: ['never'] }, 'note')).toThrow(
      'note.words may not hold never',
    );
  });

  it('is read out of a list, up to a number of them', () => {
    const notes = sentList(note, 'notes', 2);
    expect(notes.schema).toEqual({ type: 'array', items: note.schema });
    expect(notes.parse([{ said: 'a' }])).toEqual([{ said: 'a', words: [] }]);
    expect(() => notes.parse([{ said: 'a' }, {}])).toThrow('[1].said is required');
    expect(() => notes.parse([1, 2, 3])).toThrow('the body may have 2 notes at most');
    expect(() => notes.parse({})).toThrow('The body must be a list');
  });
});

describe('a noun that keeps a field under the name of a written one', () => {
  const versioned = noun({
    title: 'Versioned',
    written: { name: text({ required: true }), version: integer({ min: 1 }) },
    kept: { version: integer({ required: true }) },
    stored: { kind: 'schema', idOf: ({ name, version }) => `${version}:${name}` },
  });

  it('takes it as optional, and shows it always', () => {
    expect(versioned.request.parse({ name: 'a' })).toEqual({ name: 'a' });
    expect(versioned.request.schema.required).toEqual(['name']);
    expect(versioned.shown.schema.required).toEqual(['name', 'version']);
    expect(versioned.toJson({ name: 'a', version: 2 }, {})).toEqual({ name: 'a', version: 2 });
    expect(versioned.record.idOf({ name: 'a', version: 2 })).toBe('2:a');
  });
});

describe('a record that a save may leave as it was', () => {
  const item = record('Item', {
    size: integer({ required: true }),
    id: told<number>(integerSchema()),
  });
  const saved = record('Saved', {
    items: optionalList(item, { itemsMax: 2 }),
    first: part(item),
    count: long({ min: 1 }),
  });

  it('leaves out lists, parts and numbers that are absent or null', () => {
    expect(saved.parse({ items: null, count: null })).toEqual({});
    expect(saved.parse({ items: [] })).toEqual({ items: [] });
    expect(saved.schema.required).toBeUndefined();
  });

  it('names a field of a part, and holds numbers of 53 bits to their bounds', () => {
    expect(saved.parse({ count: '8589934592', first: { size: 1 } })).toEqual({
      ...{ count: 8_589_934_592, first: { size: 1 } },
    });
    expect(() => saved.parse({ first: {} })).toThrow('first.size is required');
    expect(() => saved.parse({ items: [1, 2, 3] })).toThrow('items[0] must be an object');
    expect(() => saved.parse({ items: Array(3).fill({ size: 1 }) })).toThrow(
      'items may have 2 entries at most',
    );
    expect(() => saved.parse({ count: 0 })).toThrow('count must be 1 or more');
  });

  it('does not take from a request what only replies have', () => {
    expect(item.parse({ size: 1, id: 7 })).toEqual({ size: 1 });
    expect(Object.keys(item.schema.properties ?? {})).toEqual(['size', 'id']);
  });
});

describe('a noun that derives a field under the name of a hidden one', () => {
  const sealed = noun({
    title: 'Sealed',
    written: { name: text({ required: true }) },
    beside: { header: text() },
    kept: {},
    hidden: { header: part(record('Header', { sealed: text({ required: true }) })) },
    stored: { kind: 'schema', idOf: ({ name }) => name },
  });

  it('shows what is derived, and never what is hidden', () => {
    const stored = { name: 'a', header: { sealed: 's' } };
    expect(sealed.toJson(stored, {})).toEqual({ name: 'a' });
    expect(sealed.toJson(stored, { header: '***' })).toEqual({ name: 'a', header: '***' });
  });
});
