// Makes creators the owners of definitions, also where their node dies in between. A definition and
// its creator's grants lie in different slots, so no single write stores both. The order is: put on
// record who is about to create what (`begin`), store the definition, then store the grants and
// remove the record in one write (`Creation.end`). A record that is still there some seconds later
// is one whose node died or could not go on: any node ends it (`definitionOwnerJob`), by what
// the store has under the name then.
import type { Caller } from '../../../model/caller.js';
import type { Clock } from '../../../std/clock.js';
import type { Job } from '../../../std/job.js';
import { writesMax, type RecordWrite } from '../../../store/record-store.js';
import { jsonCodec, type RecordTable } from '../../../operation/records/record-table.js';
import type { IdentityTables } from '../identity-tables.js';
import type { DefinitionTable } from '../../../operation/definitions/definition-table.js';
import type {
  Creation,
  DefinitionOwnership,
  DefinitionType,
  Ownership,
} from '../../../operation/ownership.js';
import type { Acting } from './acting.js';
import { partsOf } from '../../../std/parts.js';

/** A definition that is about to be created. */
export interface PendingOwner {
  /** Drawn. */
  readonly id: string;
  readonly type: DefinitionType;
  readonly name: string;
  /** Tells this creation from any other of the name: a registration, or a time of creation. */
  readonly mark: string;
  /** Subject id of the creator. */
  readonly by: string;
  /** Epoch ms. */
  readonly at: number;
}

export const pendingOwnerCodec = jsonCodec<PendingOwner>('pending-owner', ({ id }) => id);

export interface DefinitionOwnersParts {
  readonly table: RecordTable<PendingOwner>;
  readonly identities: Pick<IdentityTables, 'grants'>;
  readonly ownerOf: Acting['ownerOf'];
  readonly ownership: Pick<Ownership, 'creationOf' | 'leaving'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly randomId: () => string;
}

/** Age at which any node ends a creation, ms: longer than a write is waited for. */
const mendAfterMs = 10_000;
/** Age at which the record of a definition that was never stored goes, ms. */
const forgetAfterMs = 600_000;
/** Pending owners that one run of the mending ends. */
const mendedPerRunMax = 1000;

const nothingBegun: Creation = { end: () => Promise.resolve() };

export class DefinitionOwners implements DefinitionOwnership {
  constructor(private readonly parts: DefinitionOwnersParts) {}

  async begin(
    caller: Caller,
    type: DefinitionType,
    marks: ReadonlyMap<string, string>,
  ): Promise<Creation> {
    const { ownership, clock, randomId } = this.parts;
    const owned = [...marks].filter(
      ([name]) => ownership.creationOf(caller, type, name).length > 0,
    );
    if (owned.length === 0) return nothingBegun;
    const at = clock.now();
    const pending = owned.map(([name, mark]): PendingOwner => {
      return { id: randomId(), type, name, mark, by: caller.id, at };
    });
    for (const some of partsOf(pending, writesMax)) {
      await this.parts.table.write(some.map((each) => this.parts.table.writeOf(each, 'absent')));
    }
    return {
      end: async (created) => {
        for (const each of pending) await this.#end(each, created(each.name) ? caller : undefined);
      },
    };
  }

  refresh(): Promise<void> {
    return this.parts.identities.grants.refresh();
  }

  leaving(type: DefinitionType, name: string): () => Promise<void> {
    return this.parts.ownership.leaving(type, name);
  }

  /**
   * Ends what a node has left behind; `isCreated`: the store has what was about to be created.
   * Resolves with how many were looked at.
   */
  async mend(
    refresh: () => Promise<void>,
    isCreated: (pending: PendingOwner) => boolean,
  ): Promise<number> {
    const now = this.parts.clock.now();
    const left = [...this.parts.table.values()]
      .filter(({ at }) => now - at >= mendAfterMs)
      .slice(0, mendedPerRunMax);
    if (left.length === 0) return 0;
    await refresh();
    for (const pending of left) {
      if (isCreated(pending)) await this.#end(pending, this.parts.ownerOf(pending.by));
      else if (now - pending.at >= forgetAfterMs) await this.#end(pending, undefined);
    }
    return left.length;
  }

  /** Nothing happens where another node has ended it. */
  async #end({ id, type, name }: PendingOwner, owner: Caller | undefined): Promise<void> {
    const { ownership, identities } = this.parts;
    const grants = owner === undefined ? [] : ownership.creationOf(owner, type, name);
    const ended: RecordWrite = { kind: 'pending-owner', id, text: undefined, condition: 'present' };
    await this.parts.table.write([ended, ...grants], [identities.grants]);
  }
}

const mendEveryMs = 5000;

/**
 * Runs on every node: a write says which of them was first. `refresh` and `isCreated`: as for
 * `mend`.
 */
export function definitionOwnerJob(
  owners: Pick<DefinitionOwners, 'mend'>,
  refresh: () => Promise<void>,
  isCreated: (pending: PendingOwner) => boolean,
): Job {
  return {
    ...{ name: 'DefinitionOwners', everyMs: mendEveryMs, runsOn: 'node' },
    runOnce: () => owners.mend(refresh, isCreated),
  };
}

/** Whether the store has what was about to be created. */
export function isCreated(
  table: Pick<DefinitionTable, 'registrationOf' | 'taskDef'>,
  { type, name, mark, by }: PendingOwner,
): boolean {
  if (type === 'WORKFLOW_DEF') return table.registrationOf(name)?.id === mark;
  const def = table.taskDef(name);
  return def?.createdBy === by && String(def.createTime) === mark;
}
