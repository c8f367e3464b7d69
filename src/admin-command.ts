// `npm run admin -- create-key [settings]` and `npm run admin -- create-user EMAIL [settings]`:
// makes an administrator without one, the first or a new one where the last was lost. Everybody who
// may reach the store may do that. The settings are those of the server: the store is the running
// server's (its private Redis or the one of redisUrl); with a private Redis and no running server,
// Redis is started for the moment. A running server knows the new record within a second.
import { randomBytes } from 'node:crypto';
import { readSettings } from './config.js';
import { SettingError, type Settings } from './settings-table.js';
import { asksUsage, settingsUsage } from './settings-usage.js';
import { Applications } from './operation/identity/applications.js';
import { IdentityTables } from './operation/identity/identity-tables.js';
import { RecordedOwnership } from './operation/identity/ownership.js';
import { Persons } from './operation/identity/persons.js';
import { RecordTables } from './operation/records/record-tables.js';
import { Tags } from './operation/tags/tags.js';
import { localAdministrator } from './model/caller.js';
import { AppError } from './model/errors.js';
import { RedisClient } from './redis/client.js';
import { RedisRecordStore } from './redis/record-store.js';
import { systemClock } from './std/clock.js';
import { openStoreOf } from './store-of-settings.js';

const call = 'npm run admin -- create-key|create-user EMAIL [settings of the server]';
/** Application that keys made here belong to. */
const applicationName = 'administrator';

async function main(): Promise<void> {
  const [command, ...rest] = process.argv.slice(2);
  if (asksUsage(process.argv)) {
    console.log(settingsUsage(call, 'Makes an administrator: a key, or a user with a password.'));
    return;
  }
  const email = command === 'create-user' ? rest.shift() : undefined;
  const isKnown = command === 'create-key' || (email !== undefined && !email.startsWith('--'));
  if (!isKnown) throw new SettingError(`usage: ${call}`);
  const settings = readSettings([...rest], process.env);
  await withIdentities(settings, async (identities, tags) => {
    const made =
      email === undefined
        ? await createKey(identities, tags)
        : await createUser(identities, email.toLowerCase());
    console.log(JSON.stringify(made, null, 2));
  });
}

/** A new key of the application that is made here once. */
async function createKey(identities: IdentityTables, tags: Tags): Promise<object> {
  const ownership = new RecordedOwnership(identities, tags);
  const applications = new Applications({ identities, tags, ownership, clock: systemClock });
  const known = applications.list().find(({ name }) => name === applicationName);
  const { id } = known ?? (await applications.create(localAdministrator, applicationName));
  await applications.addRole(localAdministrator, id, 'ADMIN');
  const key = await applications.createKey(id);
  return { keyId: key.id, keySecret: key.secret };
}

/** A person with the role ADMIN and a new password; other roles and groups stay. */
async function createUser(identities: IdentityTables, email: string): Promise<object> {
  const known = identities.person(email);
  const password = randomBytes(18).toString('base64url');
  await new Persons(identities).put(email, {
    name: known?.name ?? email,
    roles: [...new Set([...(known?.roles ?? []), 'ADMIN'])],
    groups: undefined,
    contactInformation: undefined,
    password,
  });
  return { email, password };
}

async function withIdentities(
  settings: Settings,
  work: (identities: IdentityTables, tags: Tags) => Promise<void>,
): Promise<void> {
  const store = await openStoreOf(settings);
  const redis = new RedisClient({ url: store.url, tls: store.tls, prefix: settings.redisPrefix });
  try {
    await redis.connect();
    // Nobody else's changes matter here; a write that fails rejects by itself.
    const tables = new RecordTables(new RedisRecordStore(redis), systemClock, () => undefined);
    const identities = new IdentityTables(tables);
    const tags = new Tags(tables);
    await tables.start();
    await work(identities, tags);
    await tables.stop();
  } finally {
    redis.disconnect();
    await store.stop();
  }
}

try {
  await main();
} catch (error) {
  const isOurs = error instanceof SettingError || error instanceof AppError;
  console.error(isOurs ? error.message : error);
  process.exitCode = error instanceof SettingError ? 2 : 1;
}
