// An administrator by two ways stays one when either is taken away. Both at once are not: the last
// one would be gone (docs/access.md, "Nobody gives what he does not have").
import { beforeEach, expect, it } from 'vitest';
import { Groups } from '../../../src/areas/identity/groups/groups.js';
import { Persons } from '../../../src/areas/identity/users/persons.js';
import { localAdministrator as by } from '../../../src/model/caller.js';
import type { IdentityTables } from '../../../src/areas/identity/identity-tables.js';
import type { LastAdministrator } from '../../../src/areas/identity/rights/last-administrator.js';
import { openedIdentities } from './opened-identities.js';

const contactInformation = {};
const person = { name: 'Ann', roles: ['ADMIN'], groups: ['admins'], contactInformation };
const group = { description: 'g', roles: ['ADMIN'], defaultAccess: {}, contactInformation };
const plain = { ...person, roles: ['USER'] };

let identities: IdentityTables;
let last: LastAdministrator;

beforeEach(async () => {
  ({ identities, last } = await openedIdentities(true));
  await identities.groups.put({ id: 'admins', ...group });
});

const outcomes = async (both: readonly Promise<unknown>[]): Promise<string[]> =>
  (await Promise.allSettled(both)).map((each) =>
    each.status === 'rejected' ? (each.reason as { kind: string }).kind : 'done',
  );

it('a role and a group are not both taken away at once', async () => {
  const [persons, groups] = [new Persons(identities, last), new Groups(identities, last)];
  await persons.put(by, 'ann@x.test', person);
  const { groups: _kept, ...withoutRole } = plain;
  const both = [
    persons.put(by, 'ann@x.test', withoutRole),
    groups.remove(by, 'admins', ['ann@x.test']),
  ];
  expect((await outcomes(both)).sort()).toEqual(['conflict', 'done']);
});

it('two keys of an application are not both made inactive at once', async () => {
  const by = { createdBy: '', updatedBy: '', createTime: 0, updateTime: 0 };
  await identities.applications.put({ id: 'a', name: 'a', roles: ['ADMIN'], groups: [], ...by });
  const key = { applicationId: 'a', secretHash: 'h', createdAt: 0 };
  for (const id of ['one', 'two']) await identities.keys.put({ ...key, id, status: 'ACTIVE' });
  const ended = (id: string): Promise<unknown> => {
    const next = { ...key, id, status: 'INACTIVE' } as const;
    return last.guard(
      () => [{ kind: 'key', id, next }],
      () => identities.keys.put(next),
    );
  };
  expect(await outcomes([ended('one'), ended('two')])).toEqual(['done', 'conflict']);
});
