import { describe, expect, it } from 'vitest';
import { encodedForms } from '../../src/model/encoded-forms.js';
import { redactMap, redactText } from '../../src/model/redact.js';
import { secretTexts } from '../../src/model/secret-texts.js';

const secrets = ['s3cr3t/Täxt+1!', ' pa ss"word\n*', 'Plain0123', "o'neil&co=(x)~"];
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
  'upper case': (secret) => `Unknown method ${secret.toUpperCase()}`,
  'a text without its spaces': (secret) => `${secret.trim()} is no number`,
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

  it('is hidden in a reason that was cut', () => {
    const token = `eyJhbGciOi${'x1'.repeat(200)}`;
    const hide = (text: string): string => redactText(text, secretTexts(token));
    expect(hide(`500 on GET: {"echo":"${token.slice(0, 300)}... (cut)`)).toBe(
      '500 on GET: {"echo":"***... (cut)',
    );
    expect(hide(`at the end ${token.slice(0, 16)}`)).toBe('at the end ***');
    expect(hide(`no more than ${token.slice(0, 15)}`)).toContain('eyJhbGciOix1x1x');
    // In values of an output, which others compute with, nothing but the whole goes.
    const like = { token: `${token.slice(0, 100)}other` };
    expect(redactMap(like, secretTexts(token))).toEqual(like);
  });

  it('is hidden where an error names the address that it is', () => {
    const secret = 'https://me:hunter22@api.test/bot1234:AbCdEf/send?chat=42&sig=Zz9';
    const reason =
      'GET request for "https://api.test/bot1234:AbCdEf/send": refused (chat=42&sig=Zz9, hunter22)';
    expect(redactText(reason, secretTexts(secret))).toBe(
      'GET request for "https://api.test***": refused (***, ***)',
    );
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
