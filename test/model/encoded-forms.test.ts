import { describe, expect, it } from 'vitest';
import { encodedForms } from '../../src/model/encoded-forms.js';
import { redactText } from '../../src/model/redact.js';
import { secretTexts } from '../../src/model/secret-texts.js';

const secrets = ['s3cr3t/Täxt+1!', 'pa ss"word\n*', 'Plain0123', "o'neil&co=(x)~"];
/** How programs write a text that they are given. */
const writers: Record<string, (secret: string) => string> = {
  'a path': (secret) => new URL(`http://host/a/${secret}/b`).href,
  'a query': (secret) => new URL(`http://host/a?k=${secret}&l=1`).href,
  'a component': (secret) => `http://host/?k=${encodeURIComponent(secret)}`,
  'a component in small digits': (secret) =>
    encodeURIComponent(secret).replace(/%../g, (escape) => escape.toLowerCase()),
  'a form': (secret) => new URLSearchParams({ k: secret }).toString(),
  'basic authorization': (secret) => `Basic ${Buffer.from(`user:${secret}`).toString('base64')}`,
  'basic authorization of a longer user': (secret) =>
    `Basic ${Buffer.from(`users:${secret}`).toString('base64')}`,
  'base64 in the middle': (secret) => Buffer.from(`user1:${secret}:end`).toString('base64'),
  'base64 for URLs': (secret) => Buffer.from(secret).toString('base64url'),
  'a folded name': (secret) => `http://${secret.toLowerCase()}/`,
  'JSON text': (secret) => JSON.stringify({ secret }),
  text: (secret) => `the value ${secret} was refused`,
};

describe('a secret in other spellings', () => {
  it.each(Object.entries(writers))('is hidden in %s', (_what, write) => {
    for (const secret of secrets) {
      const written = write(secret);
      const hidden = redactText(written, secretTexts(secret));
      expect(hidden).toContain('***');
      // Nothing of it is left that is longer than what its neighbours share with it.
      for (const form of encodedForms(secret)) expect(hidden).not.toContain(form);
    }
  });

  it('leaves texts alone that only look like it', () => {
    expect(redactText('abcd efgh 12345678', secretTexts('abce'))).toBe('abcd efgh 12345678');
    expect(secretTexts('abc')).toEqual([]);
    expect(secretTexts('plain0123')).toHaveLength(
      new Set(['plain0123', ...secretTexts('plain0123')]).size,
    );
  });

  it('has no spelling for half a character, and does not fail', () => {
    expect(secretTexts('abc\ud800def')).toContain('abc\ud800def');
  });
});
