// Builds the parts that keep secrets from those who read the store: the keys, the box that seals
// with them, and the record in the keyspace of what protects it.
import path from 'node:path';
import { KeyedSecretBox, type SecretBox } from '../access/secret-box.js';
import { SealingKeys, type SealingKeySource } from '../access/sealing-keys.js';
import { KeyspaceProtection } from '../operation/protection/keyspace-protection.js';
import type { RecordTables } from '../operation/records/record-tables.js';
import type { Clock } from '../std/clock.js';
import type { Service } from '../std/service.js';
import type { Member } from '../store/shard-store.js';
import type { Logger } from '../telemetry/logger.js';
import type { Settings } from './settings-table.js';

export interface Sealing {
  /** Read again now and then; started before the records are loaded. */
  readonly keys: SealingKeys;
  readonly box: SecretBox;
  /** Seals anew at the start what an older key has sealed. */
  readonly renewal: Service;
  /**
   * Refuses a node that differs from what protects the keyspace: `entrance` starts once the records
   * are loaded, `confirmation` once the node has its lease.
   */
  protection(hasIdentities: () => boolean): {
    readonly entrance: Service;
    readonly confirmation: Service;
  };
}

export function buildSealing(
  settings: Settings,
  parts: {
    readonly log: Logger;
    readonly clock: Clock;
    readonly tables: RecordTables;
    /** The nodes that live. */
    readonly members: () => Promise<readonly Member[]>;
  },
): Sealing {
  const { log, clock, tables, members } = parts;
  const keys = new SealingKeys(keySourceOf(settings), {
    clock,
    failed: (error) => log.warn({ err: error }, 'a secret was not opened'),
    changed: () => void sealAnew(),
  });
  const protection = new KeyspaceProtection({ tables, members, clock });
  const box = new KeyedSecretBox(keys, (key) => protection.sealsWith(key));
  const failed = (error: unknown): undefined => {
    log.warn({ err: error }, 'what an older key has sealed was not sealed anew');
  };
  /** A key that seals nothing any more may go. Never rejects. */
  const sealAnew = async (): Promise<void> => {
    await tables
      .sealAnew((sealed, owner) => box.sealedAnew(sealed, owner).catch(failed))
      .catch(failed);
    await protection.forgetUnused(keys.all[0]).catch(failed);
  };
  return {
    ...{ keys, box },
    renewal: { start: sealAnew, stop: async () => undefined },
    protection: (hasIdentities) => {
      const { auth, restrictTaskDefinitions } = settings;
      const node = {
        ...{ guards: { auth, restrictTaskDefinitions }, sealing: keys, hasIdentities },
        tell: (sentence: string) => log.warn(sentence),
      };
      return {
        entrance: protection.entrance(node),
        confirmation: protection.confirmation(node),
      };
    },
  };
}

function keySourceOf(settings: Settings): SealingKeySource {
  const isPrivate = settings.redisUrl === '';
  return {
    text: settings.secretsKey,
    file: settings.secretsKeyFile,
    command: settings.secretsKeyCommand,
    ownFile: isPrivate ? path.join(settings.dataDir, 'secrets.key') : undefined,
  };
}
