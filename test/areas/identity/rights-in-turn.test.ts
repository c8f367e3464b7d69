// Who is no administrator any more when the turn of a change of identities has come changes nothing
// (docs/access.md, Callers): the turn may come seconds after the request was let in.
import { beforeEach, expect, it } from 'vitest';
import { Groups } from '../../../src/areas/identity/groups/groups.js';
import { ProviderLinks } from '../../../src/areas/identity/provider/provider-links.js';
import { CustomRoles } from '../../../src/areas/identity/roles/custom-roles.js';
import { Persons } from '../../../src/areas/identity/users/persons.js';
import { localAdministrator, type Caller } from '../../../src/model/caller.js';
import type { IdentityTables } from '../../../src/areas/identity/identity-tables.js';
import { openedIdentities } from './opened-identities.js';

const contactInformation = {};
const group = { description: 'g', roles: ['ADMIN'], defaultAccess: {}, contactInformation };
const ann = { name: 'Ann', roles: ['USER', 'WORKER'], contactInformation };
const role = { name: 'made', permissions: [] };

interface Made {
  readonly groups: Groups;
  readonly persons: Persons;
  readonly roles: CustomRoles;
  readonly links: ProviderLinks;
}
let made: Made;
let identities: IdentityTables;

beforeEach(async () => {
  const { last, ...opened } = await openedIdentities(false);
  ({ identities } = opened);
  const persons = new Persons(identities, last);
  made = {
    ...{ persons, groups: new Groups(identities, last), roles: new CustomRoles(identities) },
    links: new ProviderLinks(identities, persons),
  };
  await made.groups.put(localAdministrator, 'team', group);
  await made.persons.put(localAdministrator, 'ann@x.test', ann);
});

const changes: Record<string, (made: Made, by: Caller) => Promise<unknown>> = {
  'a user': ({ persons }, by) => persons.put(by, 'ann@x.test', { ...ann, roles: ['ADMIN'] }),
  'the removal of a user': ({ persons }, by) => persons.delete(by, 'ann@x.test'),
  'a group': ({ groups }, by) => groups.put(by, 'other', group),
  'a member': ({ groups }, by) => groups.add(by, 'team', ['ann@x.test']),
  'a role': ({ roles }, by) => roles.put(by, role),
  'a new role': ({ roles }, by) => roles.create(by, role),
  'the word for an identity': ({ links }, by) => links.allow(by, 'ann@x.test', 1),
};

/** Lets no change of these records get its turn; gives what lets them go on. */
function holdTurns(): () => void {
  let letGo = (): void => undefined;
  const gate = new Promise<void>((resolve) => (letGo = resolve));
  const { persons, formerPersons, groups, roles, providerLinks } = identities;
  for (const { turns } of [persons, formerPersons, groups, roles, providerLinks]) {
    for (const id of ['ann@x.test', 'other', 'made']) void turns.run(id, () => gate);
  }
  return letGo;
}

/** Roles and members of everything that there is. */
function everything(): unknown {
  const { persons, groups, roles, providerLinks } = identities;
  const people = [...persons.values()].map(({ roles: own, groups: of }) => ({ own, of }));
  return [people, ...[groups, roles, providerLinks].map(({ size }) => size)];
}

it.each(Object.keys(changes))('%s', async (what) => {
  let roles: readonly string[] = ['ADMIN'];
  const eve: Caller = {
    ...{ kind: 'user', id: 'eve@x.test', groups: [] },
    get roles() {
      return roles;
    },
  };
  const before = everything();
  const letGo = holdTurns();
  const late = (changes[what] as (typeof changes)[string])(made, eve);
  roles = [];
  letGo();
  await expect(late).rejects.toMatchObject({ kind: 'forbidden' });
  expect(everything()).toEqual(before);
});
