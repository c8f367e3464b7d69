// Makes creators the owners of definitions, also where their node dies in between. A definition and
// its creator's grants lie in different slots, so no single write stores both. The order is: put on
// record who is about to create what (`begin`), store the definition, then store the grants and
// remove the record in one write (`Creation.end`). A record that is still there some seconds later
// is one whose node died or could not go on: any node ends it (`DefinitionOwnerMending`), by what
// the store has under the name then.
import type { TargetType } from '../../access/access-rules.js';
import type { Caller } from '../../model/caller.js';
import type { Clock } from '../../std/clock.js';
import { PeriodicLoop } from '../../std/periodic-loop.js';
import { writesMax, type RecordWrite } from '../../store/record-store.js';
import { jsonForm, type RecordTable } from '../records/record-table.js';
import type { RecordTables } from '../records/record-tables.js';
import type { IdentityTables } from './identity-tables.js';
import type { Ownership } from './ownership.js';
import { ownerOf } from './starter.js';

/** Types of resources that are no records. */
export type DefinitionType = Extract<TargetType, 'WORKFLOW_DEF' | 'TASK_DEF'>;

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

/** A creation that has begun. */
export interface Creation {
  /** Stores the grants of the names that were created; the others are the creator's no more. */
  end(created: (name: string) => boolean): Promise<void>;
}

/** Told which definitions come and go: the caller that creates one may do everything with it. */
export interface DefinitionOwnership {
  /** Puts on record that the caller is about to create; `marks` by name. */
  begin(
    caller: Caller,
    type: DefinitionType,
    marks: ReadonlyMap<string, string>,
  ): Promise<Creation>;
  /** To be called once the definition is gone. */
  removed(type: DefinitionType, name: string): Promise<void>;
}

export interface DefinitionOwnersParts {
  readonly tables: RecordTables;
  readonly identities: IdentityTables;
  readonly ownership: Pick<Ownership, 'creationOf' | 'removed'>;
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
  readonly #table: RecordTable<PendingOwner>;

  constructor(private readonly parts: DefinitionOwnersParts) {
    this.#table = parts.tables.open(jsonForm<PendingOwner>('pending-owner', ({ id }) => id));
  }

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
    for (let first = 0; first < pending.length; first += writesMax) {
      const some = pending.slice(first, first + writesMax);
      await this.#table.write(some.map((each) => this.#table.writeOf(each, 'absent')));
    }
    return {
      end: async (created) => {
        for (const each of pending) await this.#end(each, created(each.name) ? caller : undefined);
      },
    };
  }

  removed(type: DefinitionType, name: string): Promise<void> {
    return this.parts.ownership.removed(type, name);
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
    const left = [...this.#table.values()]
      .filter(({ at }) => now - at >= mendAfterMs)
      .slice(0, mendedPerRunMax);
    if (left.length === 0) return 0;
    await refresh();
    for (const pending of left) {
      if (isCreated(pending)) await this.#end(pending, ownerOf(pending.by, this.parts.identities));
      else if (now - pending.at >= forgetAfterMs) await this.#end(pending, undefined);
    }
    return left.length;
  }

  /** Nothing happens where another node has ended it. */
  async #end({ id, type, name }: PendingOwner, owner: Caller | undefined): Promise<void> {
    const { ownership, identities } = this.parts;
    const grants = owner === undefined ? [] : ownership.creationOf(owner, type, name);
    const ended: RecordWrite = { kind: 'pending-owner', id, text: undefined, condition: 'present' };
    await this.#table.write([ended, ...grants], [identities.grants]);
  }
}

export interface DefinitionOwnerMendingParts {
  readonly owners: Pick<DefinitionOwners, 'mend'>;
  readonly clock: Clock;
  /** Reads the definitions that other nodes have stored. */
  readonly refresh: () => Promise<void>;
  readonly isCreated: (pending: PendingOwner) => boolean;
  readonly failed: (error: unknown) => void;
}

const mendEveryMs = 5000;

/** On every node: a write says which of them was first. */
export class DefinitionOwnerMending extends PeriodicLoop {
  constructor({ owners, clock, refresh, isCreated, failed }: DefinitionOwnerMendingParts) {
    super({
      name: 'DefinitionOwners',
      ...{ clock, failed, everyMs: mendEveryMs, runsOn: 'node' },
      runOnce: () => owners.mend(refresh, isCreated),
    });
  }
}
