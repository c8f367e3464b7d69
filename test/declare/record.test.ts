import { describe, expect, it } from 'vitest';
import { integer, text, texts } from '../../src/declare/field.js';
import { noun } from '../../src/declare/noun.js';
import { record, sentList } from '../../src/declare/record.js';
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
    expect(notes.form).toEqual({ type: 'array', items: note.form });
    expect(notes.parse([{ said: 'a' }])).toEqual([{ said: 'a', words: [] }]);
    expect(() => notes.parse([{ said: 'a' }, {}])).toThrow('[1].said is required');
    expect(() => notes.parse([1, 2, 3])).toThrow('the body may have 2 notes at most');
    expect(() => notes.parse({})).toThrow('the body must be a list');
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
    expect(versioned.request.form.required).toEqual(['name']);
    expect(versioned.shown.form.required).toEqual(['name', 'version']);
    expect(versioned.toJson({ name: 'a', version: 2 }, {})).toEqual({ name: 'a', version: 2 });
    expect(versioned.record.idOf({ name: 'a', version: 2 })).toBe('2:a');
  });
});
