// What becomes of a creation that its node did not end (docs/access.md, "Whose executions").
import { beforeEach, expect, it } from 'vitest';
import type { Caller } from '../../../src/model/caller.js';
import {
  DefinitionOwners,
  pendingOwnerCodec,
  type PendingOwner,
} from '../../../src/areas/identity/rights/definition-owners.js';
import { identityRecords, IdentityTables } from '../../../src/areas/identity/identity-tables.js';
import { Acting } from '../../../src/areas/identity/rights/acting.js';
import { RecordedOwnership } from '../../../src/areas/identity/rights/ownership.js';
import { RecordTables } from '../../../src/operation/records/record-tables.js';
import { Tags, tagsCodec } from '../../../src/operation/tags/tags.js';
import type { RecordStore } from '../../../src/store/record-store.js';
import { systemClock } from '../../../src/std/clock.js';
import { MemoryRecordStore } from '../../operation/records/memory-record-store.js';

const maker: Caller = { kind: 'user', id: 'maker@x.org', roles: [], groups: [] };
const marks = new Map([['orders', 'registration 1']]);

interface Node {
  readonly identities: IdentityTables;
  readonly owners: DefinitionOwners;
}

let now: number;
let store: RecordStore;

async function nodeOn(records: RecordStore): Promise<Node> {
  const tables = new RecordTables(records, systemClock, (error) => {
    throw error;
  });
  const identities = new IdentityTables(tables.openAll(identityRecords));
  let drawn = 0;
  const owners = new DefinitionOwners({
    ...{
      table: tables.open(pendingOwnerCodec),
      identities,
      clock: { now: () => now },
      randomId: () => `creation ${++drawn}`,
    },
    ownerOf: new Acting(identities, true).ownerOf,
    ownership: new RecordedOwnership(identities, new Tags(tables.open(tagsCodec))),
  });
  await tables.start();
  return { identities, owners };
}

const grantsOn = ({ identities }: Node): readonly unknown[] =>
  identities.grantsOn({ type: 'WORKFLOW_DEF', id: 'orders' });

const mend = ({ owners }: Node, isCreated: (pending: PendingOwner) => boolean): Promise<number> =>
  owners.mend(() => Promise.resolve(), isCreated);

beforeEach(async () => {
  now = 1_000_000;
  store = new MemoryRecordStore();
  const { identities } = await nodeOn(store);
  await identities.persons.put({ id: maker.id, name: 'Maker', roles: [], groups: [] } as never);
});

it('leaves the creations of a node that lives alone, and ends those of a dead one', async () => {
  const dead = await nodeOn(store);
  await dead.owners.begin(maker, 'WORKFLOW_DEF', marks);
  const other = await nodeOn(store);
  now += 9_999;
  expect(await mend(other, () => true)).toBe(0);
  expect(grantsOn(other)).toEqual([]);
  now += 1;
  expect(await mend(other, ({ mark }) => mark === 'registration 1')).toBe(1);
  expect(grantsOn(other)).toMatchObject([{ subject: { id: maker.id }, isOwner: true }]);
  expect(await mend(other, () => true)).toBe(0);
});

it('gives nothing of a name that another one has registered, and forgets it later', async () => {
  const dead = await nodeOn(store);
  await dead.owners.begin(maker, 'WORKFLOW_DEF', marks);
  const other = await nodeOn(store);
  now += 10_000;
  expect(await mend(other, () => false)).toBe(1);
  now += 590_000;
  expect(await mend(other, () => false)).toBe(1);
  expect(await mend(other, () => true)).toBe(0);
  expect(grantsOn(other)).toEqual([]);
});

it('gives nothing a second time where its node and another one end a creation', async () => {
  const slow = await nodeOn(store);
  const creation = await slow.owners.begin(maker, 'WORKFLOW_DEF', marks);
  const other = await nodeOn(store);
  now += 10_000;
  await mend(other, () => true);
  await other.owners.leaving('WORKFLOW_DEF', 'orders')();
  await creation.end(() => true);
  expect(grantsOn(await nodeOn(store))).toEqual([]);
});

it('gives nothing to who is gone', async () => {
  const dead = await nodeOn(store);
  await dead.owners.begin(maker, 'WORKFLOW_DEF', marks);
  const other = await nodeOn(store);
  await other.identities.persons.remove(maker.id);
  now += 10_000;
  expect(await mend(other, () => true)).toBe(1);
  expect(grantsOn(other)).toEqual([]);
});
