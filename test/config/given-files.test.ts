// Files and keys that settings name are refused before a start does anything.
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readSettings } from '../../src/server/config.js';
import { refuseUnusableFiles } from '../../src/server/given-files.js';
import { createFolder, removeFolder } from '../../testkit/folder.js';

let folder: string;
beforeEach(() => {
  folder = createFolder();
  fs.writeFileSync(path.join(folder, 'text'), 'no certificate, no key\n');
});
afterEach(() => removeFolder(folder));

it.each([
  [
    ['tls-cert-file', 'none', 'tls-key-file', 'text'],
    /^--tls-cert-file \S+none cannot be read \(ENOENT\)/,
  ],
  [['tls-cert-file', 'text', 'tls-key-file', 'none'], /^--tls-key-file \S+none cannot be read/],
  [['tls-cert-file', 'text', 'tls-key-file', 'text'], /are no certificate and its key in PEM \(/],
  [['secrets-key-file', 'none'], /^--secrets-key-file \S+none cannot be read \(ENOENT\)/],
  [['secrets-key-file', 'text'], /^Key 1 of --secrets-key-file \S+text must be 32 bytes/],
])('%j', async (given, sentence) => {
  const args = given.map((word, i) => (i % 2 === 0 ? `--${word}` : path.join(folder, word)));
  await expect(refuseUnusableFiles(readSettings(args, {}))).rejects.toThrow(sentence);
});

it('a key that is none, without a word of it', async () => {
  const settings = readSettings(['--secrets-key', 'short'], {});
  const sentence = /^Key 1 of --secrets-key must be 32 bytes in base64: `openssl/;
  await expect(refuseUnusableFiles(settings)).rejects.toThrow(sentence);
  await expect(refuseUnusableFiles(settings)).rejects.not.toThrow(/short/);
});

it('lets through what the server can use', async () => {
  const key = Buffer.alloc(32, 7).toString('base64');
  await refuseUnusableFiles(readSettings(['--secrets-key', key], {}));
  await refuseUnusableFiles(readSettings([], {}));
});
