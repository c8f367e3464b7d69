// Nobody becomes a member of a group while it goes: the next group of its name would have members
// that nobody has put there.
import { beforeEach, expect, it } from 'vitest';
import { Groups } from '../../../src/areas/identity/groups/groups.js';
import { Persons } from '../../../src/areas/identity/users/persons.js';
import { localAdministrator as by } from '../../../src/model/caller.js';
import type { IdentityTables } from '../../../src/areas/identity/identity-tables.js';
import { openedIdentities } from './opened-identities.js';

const contactInformation = {};
const group = { description: 'g', roles: ['ADMIN'], defaultAccess: {}, contactInformation };
const ann = { name: 'Ann', roles: ['USER', 'WORKER'], contactInformation };

let identities: IdentityTables;
let groups: Groups;
let persons: Persons;

beforeEach(async () => {
  const { last, ...opened } = await openedIdentities(false);
  ({ identities } = opened);
  groups = new Groups(identities, last);
  persons = new Persons(identities, last);
  await groups.put(by, 'team', group);
});

const groupsOfAnn = (): readonly string[] | undefined => identities.person('ann@x.test')?.groups;

it('by a save whose password takes its time', async () => {
  const password = 'a password that nobody guesses';
  const late = persons.put(by, 'ann@x.test', { ...ann, groups: ['team'], password });
  await groups.delete(by, 'team');
  await expect(late).rejects.toMatchObject({ kind: 'not-found' });
  expect(groupsOfAnn()).toBeUndefined();
});

it('by an addition that waits for its turn', async () => {
  await persons.put(by, 'ann@x.test', ann);
  let go = (): void => undefined;
  void identities.persons.turns.run(
    'ann@x.test',
    () => new Promise<void>((resolve) => (go = resolve)),
  );
  const late = groups.add(by, 'team', ['ann@x.test']);
  await groups.delete(by, 'team');
  go();
  await expect(late).rejects.toMatchObject({ kind: 'not-found' });
  expect(groupsOfAnn()).toEqual([]);
});
