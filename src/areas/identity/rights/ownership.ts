// Keeps access in step when a resource is created or deleted: its creator receives all five rights
// on it, and each of the creator's groups what its default access says (contract-admin 4.1, 5.2);
// with the resource go its grants and tags, so that a later resource of the name starts with
// neither.
import { rights, type TargetType } from '../../../access/access-rules.js';
import { everyId } from '../../../access/resource-names.js';
import { grantId } from './grant-index.js';
import type { Grant } from '../identities.js';
import type { Caller } from '../../../model/caller.js';
import type { RecordWrite } from '../../../store/record-store.js';
import type { Ownership } from '../../../operation/ownership.js';
import type { Besides } from '../../../operation/records/record-table.js';
import type { Tags } from '../../../operation/tags/tags.js';
import type { IdentityTables } from '../identity-tables.js';
import { plainId } from '../../../model/subject.js';

export class RecordedOwnership implements Ownership {
  constructor(
    private readonly identities: IdentityTables,
    private readonly tags: Tags,
  ) {}

  creating(caller: Caller, type: TargetType, id: string): Besides {
    return { writes: this.creationOf(caller, type, id), tables: [this.identities.grants] };
  }

  removing(type: TargetType, id: string): Besides {
    const tables = [this.identities.grants, this.tags.table];
    return { writes: this.removalOf(type, id), tables };
  }

  leaving(type: TargetType, id: string): () => Promise<void> {
    const { identities, tags } = this;
    const writes = this.removalOf(type, id).map((write): RecordWrite => {
      const table = write.kind === 'grant' ? identities.grants : tags.table;
      return { ...write, condition: table.revisionOf(write.id) };
    });
    return async () => {
      for (const write of writes) await this.apply([write]);
    };
  }

  creationOf(caller: Caller, type: TargetType, id: string): RecordWrite[] {
    if (id === everyId) return [];
    if (caller.kind !== 'user' && caller.kind !== 'application') return [];
    const target = { type, id };
    const grants: Grant[] = [
      {
        ...{ subject: { type: 'USER', id: plainId(caller.id) }, target },
        ...{ access: [...rights], isOwner: true },
      },
    ];
    for (const groupId of caller.groups) {
      const access = this.identities.group(groupId)?.defaultAccess[type] ?? [];
      if (access.length > 0)
        grants.push({ subject: { type: 'GROUP', id: groupId }, target, access });
    }
    return grants.map((grant) => this.identities.grants.writeOf(grant));
  }

  /** Writes that remove every grant on the resource, and its tags. */
  removalOf(type: TargetType, id: string): RecordWrite[] {
    const grants = this.identities.grantsOn({ type, id });
    return [
      ...grants.map(({ subject, target }) => ({
        kind: 'grant' as const,
        id: grantId(subject, target),
        text: undefined,
      })),
      ...this.tags.removalOf(type, id),
    ];
  }

  /** Stores such writes. */
  async apply(writes: readonly RecordWrite[]): Promise<void> {
    if (writes.length > 0) await this.identities.grants.write(writes, [this.tags.table]);
  }
}
