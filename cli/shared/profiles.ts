// Which server a command talks to. First what the command line says (`--server`, `--profile`), then
// the variables of the field's SDKs (CONDUCTOR_SERVER_URL, CONDUCTOR_AUTH_KEY,
// CONDUCTOR_AUTH_SECRET), then the profile in use, then the server of this machine. Profiles stand
// in profiles.json in the user's configuration folder, which only the user may read.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { ServerAddress } from './api-client.js';
import { badInput } from './failure.js';
import { isObject } from './json.js';
import { makeFolder } from './make-folder.js';

export interface Profile {
  readonly server: string;
  readonly keyId?: string;
  readonly keySecret?: string;
}

export interface Profiles {
  readonly current?: string;
  readonly profiles: Readonly<Record<string, Profile>>;
}

export interface AddressOptions {
  readonly server?: string | undefined;
  readonly profile?: string | undefined;
}

const localServer = 'http://localhost:8080';

export function profilesFile(env: NodeJS.ProcessEnv): string {
  const folder =
    valueOf(env, 'XDG_CONFIG_HOME') ?? path.join(valueOf(env, 'HOME') ?? os.homedir(), '.config');
  return path.join(folder, 'downbeat', 'profiles.json');
}

export function readProfiles(env: NodeJS.ProcessEnv): Profiles {
  const file = profilesFile(env);
  if (!fs.existsSync(file)) return { profiles: {} };
  try {
    const read: unknown = JSON.parse(fs.readFileSync(file, 'utf8'));
    if (isProfiles(read)) return read;
  } catch {
    // Said below, as for any other text.
  }
  throw badInput(`${file} holds no profiles: mend or remove it.`);
}

function isProfiles(read: unknown): read is Profiles {
  if (!isObject(read) || !isObject(read['profiles'])) return false;
  return Object.values(read['profiles']).every(
    (each) => isObject(each) && typeof each['server'] === 'string',
  );
}

export function writeProfiles(env: NodeJS.ProcessEnv, profiles: Profiles): void {
  const file = profilesFile(env);
  makeFolder(path.dirname(file), 0o700);
  const draft = `${file}.${process.pid}`;
  fs.writeFileSync(draft, `${JSON.stringify(profiles, undefined, 2)}\n`, { mode: 0o600 });
  fs.renameSync(draft, file);
}

/** Throws a Failure for a profile that there is not, or an address that is none. */
export function addressOf(options: AddressOptions, env: NodeJS.ProcessEnv): ServerAddress {
  const fromEnv = env['CONDUCTOR_SERVER_URL'] ?? '';
  const key = {
    keyId: valueOf(env, 'CONDUCTOR_AUTH_KEY'),
    keySecret: valueOf(env, 'CONDUCTOR_AUTH_SECRET'),
  };
  if (options.profile === undefined) {
    if (options.server !== undefined) return { root: rootOf(options.server), ...key };
    if (fromEnv !== '') return { root: rootOf(fromEnv), ...key };
  }
  const { current, profiles } = readProfiles(env);
  const name = options.profile ?? current;
  if (name === undefined) return { root: localServer, ...key };
  const profile = profiles[name];
  if (profile === undefined) {
    const known = Object.keys(profiles).join(', ') || 'none yet';
    throw badInput(
      `There is no profile '${name}' (there are: ${known}). Make it with: downbeat profile set ${name} URL`,
    );
  }
  const { server, keyId = key.keyId, keySecret = key.keySecret } = profile;
  return { root: rootOf(options.server ?? server), keyId, keySecret };
}

/** `http://host:8080/api/` and `http://host:8080` are the same server. */
export function rootOf(address: string): string {
  const text = /^[a-z]+:\/\//i.test(address) ? address : `http://${address}`;
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw badInput(`'${address}' is no address of a server: give one like http://localhost:8080.`);
  }
  const { username, password, search, hash } = new URL(text);
  if (username !== '' || password !== '') {
    throw badInput(
      'The address of a server holds no user and no password: give a key by CONDUCTOR_AUTH_KEY and CONDUCTOR_AUTH_SECRET, or a profile.',
    );
  }
  if (search !== '' || hash !== '') {
    throw badInput(
      `'${address}' has more than the address of a server: leave out what follows it.`,
    );
  }
  return text.replace(/\/+$/, '').replace(/\/api$/, '');
}

function valueOf(env: NodeJS.ProcessEnv, name: string): string | undefined {
  const value = env[name];
  return value === '' ? undefined : value;
}
