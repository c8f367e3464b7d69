// A role or a group is new although somebody still names it: who had one of the name that was
// deleted, or was invited to it. A new one has none of them (docs/access.md, Ids that are given
// again).
import { changeIfThere } from '../../../operation/records/change-record.js';
import type { RecordTable } from '../../../operation/records/record-table.js';
import type { IdentityTables } from '../identity-tables.js';

/** Takes a role that is about to be made from all who name it. */
export async function forgetHolders(identities: IdentityTables, role: string): Promise<void> {
  const { persons, applications, groups, invitations } = identities;
  await persons.refresh();
  await takeOut(persons, 'roles', role);
  await takeOut(applications, 'roles', role);
  await takeOut(groups, 'roles', role);
  await takeOut(invitations, 'roles', role);
}

/** Takes a group that is about to be made from all who name it. */
export async function forgetMembers(identities: IdentityTables, group: string): Promise<void> {
  const { persons, applications, invitations } = identities;
  await persons.refresh();
  await takeOut(persons, 'groups', group);
  await takeOut(applications, 'groups', group);
  await takeOut(invitations, 'groups', group);
}

type Naming<Member extends string> = { readonly id: string } & {
  readonly [Name in Member]?: readonly string[] | undefined;
};

async function takeOut<Member extends 'roles' | 'groups', T extends Naming<Member>>(
  table: RecordTable<T>,
  member: Member,
  name: string,
): Promise<void> {
  const names = (record: T): readonly string[] => record[member] ?? [];
  const naming = [...table.values()].filter((record) => names(record).includes(name));
  for (const { id } of naming) {
    await changeIfThere(table, id, (known) => ({
      ...known,
      [member]: names(known).filter((each) => each !== name),
    }));
  }
}
