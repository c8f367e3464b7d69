// Builds the rights of callers on this server out of the stored users, groups, applications, roles,
// grants and tags. While authentication is off the records are kept and served all the same, and
// everything is allowed.
import { randomUUID } from 'node:crypto';
import { everythingAllowed, requireRight, type AccessRules } from '../../../access/access-rules.js';
import type { TablesOf } from '../../../operation/records/record-tables.js';
import { Tags, tagsCodec } from '../../../operation/tags/tags.js';
import type { Ports } from '../../ports.js';
import { identityRecords, IdentityTables } from '../identity-tables.js';
import { Acting } from './acting.js';
import { DefinitionOwners, pendingOwnerCodec } from './definition-owners.js';
import { EffectiveAccess } from './effective-access.js';
import { HeldRights } from './held-rights.js';
import { RecordedOwnership } from './ownership.js';

export const rightsRecords = {
  ...identityRecords,
  tags: tagsCodec,
  pendingOwners: pendingOwnerCodec,
};

export interface Rights {
  readonly identities: IdentityTables;
  readonly tags: Tags;
  readonly access: AccessRules;
  readonly held: HeldRights;
  readonly ownership: RecordedOwnership;
  readonly definitionOwners: DefinitionOwners;
  readonly acting: Acting;
}

export function buildRights(
  {
    clock,
    definitionTable,
    hasNamedEvery,
  }: Pick<Ports, 'clock' | 'definitionTable' | 'hasNamedEvery'>,
  records: TablesOf<typeof rightsRecords>,
  isOn: boolean,
): Rights {
  const identities = new IdentityTables(records, (type) => !hasNamedEvery(type));
  const acting = new Acting(identities, isOn);
  // A tag can carry grants, so who puts one on a resource is asked for the rights that it gives.
  const tags = new Tags(records.tags, {
    requireUpdate: (caller, resource) => requireRight(access, caller, 'UPDATE', resource),
    requireTag: (...asked) => held.requireTag(...asked),
  });
  const access = isOn
    ? new EffectiveAccess({
        identities,
        grants: () => identities.grantIndex,
        names: {
          registrationOf: (name) => definitionTable().registrationOf(name),
          isRegistered: (name) => definitionTable().latest(name) !== undefined,
        },
        hasTag: (type, id, tag) => tags.has(type, id, tag),
      })
    : everythingAllowed;
  const held = new HeldRights({ access, identities });
  const ownership = new RecordedOwnership(identities, tags);
  const definitionOwners = new DefinitionOwners({
    ...{ table: records.pendingOwners, identities, clock, randomId: randomUUID, ownership },
    ownerOf: acting.ownerOf,
  });
  return { identities, tags, access, held, ownership, definitionOwners, acting };
}
