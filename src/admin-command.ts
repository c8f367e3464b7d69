// `npm run admin -- COMMAND [settings]` does what no caller of the API may do, or nobody is left to
// do. `create-key` and `create-user EMAIL` make an administrator without one: the first, or a new
// one where the last was lost. `protect` and `unprotect` change what protects the keyspace, and
// `protection` shows it. Everybody who may reach the store may do that. The settings are those of
// the server: the store is the running server's (its private Redis or the one of redisUrl); with a
// private Redis and no running server, Redis is started for the moment. A running server knows a
// new record within a second.
import { randomBytes } from 'node:crypto';
import { readSettings } from './server/config.js';
import type { Settings } from './server/settings-table.js';
import { SettingError } from './settings/setting.js';
import { asksUsage, settingsUsage } from './server/settings-usage.js';
import { Applications } from './areas/identity/applications/applications.js';
import { identityRecords, IdentityTables } from './areas/identity/identity-tables.js';
import { LastAdministrator } from './areas/identity/rights/last-administrator.js';
import { RecordedOwnership } from './areas/identity/rights/ownership.js';
import { Persons } from './areas/identity/users/persons.js';
import { KeyspaceProtection } from './operation/protection/keyspace-protection.js';
import { RecordTables } from './operation/records/record-tables.js';
import { Tags, tagsCodec } from './operation/tags/tags.js';
import { localAdministrator } from './model/caller.js';
import { AppError } from './model/errors.js';
import { RedisClient } from './redis/client.js';
import { RedisRecordStore } from './redis/record-store.js';
import { RedisShardStore } from './redis/shard-store.js';
import { calledAs } from './std/called-as.js';
import { systemClock } from './std/clock.js';
import { openStoreOf, sayingWhyNoStore } from './server/store-of-settings.js';
import type { Member } from './store/shard-store.js';
import { personIdOf } from './model/person-id.js';

const commandsShown =
  'create-key|create-user EMAIL|protection|protect auth|unprotect auth|protect task-definitions|unprotect task-definitions|unprotect secrets';
const call = `${calledAs.admin} ${commandsShown} [settings of the server]`;
/** Application that keys made here belong to. */
const applicationName = 'administrator';

interface Parts {
  readonly identities: IdentityTables;
  readonly tags: Tags;
  readonly protection: KeyspaceProtection;
}

/** Each command with what it prints; the argument is an email address or ''. */
const commands: Readonly<Record<string, (parts: Parts, argument: string) => Promise<object>>> = {
  'create-key': createKey,
  'create-user': ({ identities }, email) => createUser(identities, personIdOf(email)),
  protection: async ({ protection }) => protection.record ?? {},
  'protect auth': ({ protection }) => protection.set('auth', true),
  'unprotect auth': ({ protection }) => protection.set('auth', false),
  'protect task-definitions': ({ protection }) => protection.set('restrictTaskDefinitions', true),
  'unprotect task-definitions': ({ protection }) =>
    protection.set('restrictTaskDefinitions', false),
  'unprotect secrets': ({ protection }) => protection.forgetKeys(),
};

async function main(): Promise<boolean> {
  if (asksUsage(process.argv)) {
    console.log(
      settingsUsage(
        call,
        'Makes an administrator (a key, or a user with a password), or changes what protects the keyspace.',
      ),
    );
    return false;
  }
  const { command, argument, rest } = readCall(process.argv.slice(2));
  const settings = readSettings(rest, process.env);
  const run = async (parts: Parts): Promise<void> => {
    console.log(JSON.stringify(await command(parts, argument), null, 2));
  };
  await sayingWhyNoStore(settings, () => withParts(settings, run));
  return true;
}

/** Throws SettingError for a call that is none. */
function readCall([first = '', second = '', ...others]: string[]) {
  const name = [first, `${first} ${second}`].find((each) => commands[each] !== undefined);
  const command = commands[name ?? ''];
  const takesSecond = first === 'create-user' || name?.includes(' ') === true;
  if (command === undefined || (takesSecond && (second === '' || second.startsWith('--')))) {
    throw new SettingError(`usage: ${call}`);
  }
  const rest = takesSecond || second === '' ? others : [second, ...others];
  return { command, argument: takesSecond ? second : '', rest };
}

/** A new key of the application that is made here once. */
async function createKey({ identities, tags }: Parts): Promise<object> {
  const ownership = new RecordedOwnership(identities, tags);
  const applications = new Applications({
    ...{ identities, tags, ownership, clock: systemClock },
    held: { coversRole: () => true },
    lastAdministrator: unguarded(identities),
  });
  // Somebody without rights may have made another one of the name.
  const known = applications
    .list()
    .find(({ name, createdBy }) => name === applicationName && createdBy === '');
  const { id } = known ?? (await applications.create(localAdministrator, applicationName));
  await applications.addRole(localAdministrator, id, 'ADMIN');
  const key = await applications.createKey(id);
  return { keyId: key.id, keySecret: key.secret };
}

/** A person with the role ADMIN and a new password; other roles and groups stay. */
async function createUser(identities: IdentityTables, email: string): Promise<object> {
  const known = identities.person(email);
  const password = randomBytes(18).toString('base64url');
  await new Persons(identities, unguarded(identities)).put(localAdministrator, email, {
    name: known?.name ?? email,
    roles: [...new Set([...(known?.roles ?? []), 'ADMIN'])],
    password,
  });
  return { email, password };
}

/** The command only makes administrators. */
function unguarded(identities: IdentityTables): LastAdministrator {
  const off = { isOn: false, hasProvider: false };
  return new LastAdministrator({ identities, clock: systemClock, ...off });
}

async function withParts(settings: Settings, work: (parts: Parts) => Promise<void>): Promise<void> {
  const store = await openStoreOf(settings);
  const redis = new RedisClient({ url: store.url, tls: store.tls, prefix: settings.redisPrefix });
  try {
    await redis.connect();
    // Nobody else's changes matter here; a write that fails rejects by itself.
    const tables = new RecordTables(new RedisRecordStore(redis), systemClock, () => undefined);
    const identities = new IdentityTables(tables.openAll(identityRecords));
    const tags = new Tags(tables.open(tagsCodec));
    const shards = new RedisShardStore(redis);
    const members = (): Promise<Member[]> => shards.allMembers();
    const protection = new KeyspaceProtection({ tables, members, clock: systemClock });
    await tables.start();
    await work({ identities, tags, protection });
    await tables.stop();
  } finally {
    redis.disconnect();
    await store.stop();
  }
}

export const started = run();

async function run(): Promise<boolean> {
  try {
    return await main();
  } catch (error) {
    const isOurs = error instanceof SettingError || error instanceof AppError;
    console.error(isOurs ? error.message : error);
    process.exitCode = error instanceof SettingError ? 2 : 1;
    return false;
  }
}
