// The tables of identities over a store in memory, as areas build on them.
import { identityRecords, IdentityTables } from '../../../src/areas/identity/identity-tables.js';
import { LastAdministrator } from '../../../src/areas/identity/rights/last-administrator.js';
import { RecordTables } from '../../../src/operation/records/record-tables.js';
import { systemClock } from '../../../src/std/clock.js';
import { MemoryRecordStore } from '../../operation/records/memory-record-store.js';

/** `isOn`: the server asks for tokens, and has a provider of identities. */
export async function openedIdentities(
  isOn: boolean,
): Promise<{ identities: IdentityTables; last: LastAdministrator }> {
  const tables = new RecordTables(new MemoryRecordStore(), systemClock, (error) => {
    throw error;
  });
  const identities = new IdentityTables(tables.openAll(identityRecords));
  await tables.start();
  const last = new LastAdministrator({ identities, clock: systemClock, isOn, hasProvider: isOn });
  return { identities, last };
}
