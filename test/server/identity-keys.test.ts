// Access keys of applications and passwords of users: how they rest, how one key takes the place of
// another, and what the admin command makes where the last one was lost (contract-admin 1, 2).
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { adminCommand, Session, type Key } from '../../testkit/secured-server.js';
import { sharedSecuredServer } from '../support/shared-server.js';
import { until } from '../../testkit/until.js';

const secured = sharedSecuredServer(import.meta.url);

/** undefined: the key is not taken. */
async function signIn(key: Key): Promise<Session | undefined> {
  const { status, body } = await secured.nobody.post('/api/token', key);
  if (status !== 200) return undefined;
  return new Session(secured.url, { 'x-authorization': body.token });
}

/** Files below the server's data folder, those of its Redis too, that hold the text. */
function filesWith(text: string): string[] {
  return readdirSync(secured.server.dataDir, { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(secured.server.dataDir, name))
    .filter((name) => statSync(name, { throwIfNoEntry: false })?.isFile() === true)
    .filter((name) => readFileSync(name).includes(text));
}

describe('a key or a password', () => {
  it('is stored as a hash: no file of the store shows it', async () => {
    const { key } = await secured.application('identity_keys_hashed');
    await secured.userWithPassword('identity_keys_hashed@x.org', ['USER']);
    expect(filesWith(key.keyId)).not.toEqual([]);
    expect(filesWith('identity_keys_hashed@x.org')).not.toEqual([]);
    expect(filesWith(key.keySecret)).toEqual([]);
    expect(filesWith('password of identity_keys_hashed@x.org')).toEqual([]);
  });
});

describe('a key', () => {
  it('may stand beside another one, so that one takes the place of the other', async () => {
    const older = await secured.application('identity_keys_rotating', ['WORKER']);
    const keys = `/api/applications/${older.subject.slice(4)}/accessKeys`;
    const { id: keyId, secret: keySecret } = (await secured.admin.post(keys)).body;
    const newer = await signIn({ keyId, keySecret });
    expect(await newer?.status('GET', '/api/applications')).toBe(200);
    expect(await older.status('GET', '/api/applications')).toBe(200);
    expect(await secured.admin.status('DELETE', `${keys}/${older.key.keyId}`)).toBe(200);
    expect(await older.status('GET', '/api/applications')).toBe(401);
    expect(await newer?.status('GET', '/api/applications')).toBe(200);
  });

  it('of an administrator is made by a command where the last one was lost', async () => {
    const again = JSON.parse(await adminCommand(secured.server, ['create-key'])) as Key;
    expect(again.keyId).not.toBe(secured.key.keyId);
    // The running server follows the command's records within a second.
    const session = await until('the new key', () => signIn(again));
    expect(await session.status('GET', '/api/users')).toBe(200);
  });
});
