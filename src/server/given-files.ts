// Files and keys that settings name are read before a start touches anything, so that a wrong one
// is refused as a wrong setting is: with a sentence that names the flag (exit code 2). The parts
// that check them are loaded only where they are needed: a start is faster without.
import fs from 'node:fs';
import { SettingError } from '../settings/setting.js';
import type { Settings } from './settings-table.js';

/** Throws SettingError for a file that cannot be used, or for a key that is none. */
export async function refuseUnusableFiles(settings: Settings): Promise<void> {
  const { tlsCertFile, tlsKeyFile, secretsKey, secretsKeyFile } = settings;
  if (tlsCertFile !== '') {
    const cert = read('--tls-cert-file', tlsCertFile);
    const key = read('--tls-key-file', tlsKeyFile);
    const { createSecureContext } = await import('node:tls');
    try {
      createSecureContext({ cert, key });
    } catch (error) {
      throw new SettingError(
        `--tls-cert-file ${tlsCertFile} and --tls-key-file ${tlsKeyFile} are no certificate and its key in PEM (${(error as Error).message}).`,
      );
    }
  }
  if (secretsKey !== '') await checkKeys(secretsKey, '--secrets-key');
  else if (secretsKeyFile !== '') {
    await checkKeys(
      read('--secrets-key-file', secretsKeyFile),
      `--secrets-key-file ${secretsKeyFile}`,
    );
  }
}

function read(flag: string, file: string): string {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new SettingError(
      `${flag} ${file} cannot be read (${code}): name a file that this user may read.`,
    );
  }
}

async function checkKeys(text: string, from: string): Promise<void> {
  const { parseKeys } = await import('../access/sealing-keys.js');
  try {
    parseKeys(text, from);
  } catch (error) {
    throw new SettingError(
      `${(error as Error).message}: \`openssl rand -base64 32\` makes one (docs/access.md).`,
    );
  }
}
