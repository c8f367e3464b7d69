// Explains the rights of a person or an application on one resource, and which role or grant gives
// them: the same rules as `effective-access.ts` decides by, told one by one. Whether a right is
// held comes from those rules; the sources told here say why.
import { rights, type AccessRules, type Right, type Target } from '../../../access/access-rules.js';
import { everyId } from '../../../access/resource-names.js';
import { flag, list, oneOf, text } from '../../../model/schema.js';
import { told } from '../../../model/field.js';
import { always, shown, type ValueOf } from '../fields.js';
import { subjectRefSchema, targetRefSchema } from '../grants/grant.js';
import type { Grant, TargetRef } from '../identities.js';
import { reaches } from '../roles/roles.js';
import { plainId } from '../../../model/subject.js';
import type { Caller } from '../../../model/caller.js';
import type { Tags } from '../../../operation/tags/tags.js';
import type { IdentityTables } from '../identity-tables.js';

/** `subject`: who has the role or was granted the right: the subject itself, a group or a role. */
const rightSource = shown('RightSource', {
  kind: always<'role' | 'grant'>(oneOf(['role', 'grant'])),
  subject: always<{ readonly type: string; readonly id: string }>(subjectRefSchema),
  role: told<string>(text('The role; absent for grants')),
  /** The resource, all of its type, a tag or a provider. */
  target: told<TargetRef>(targetRefSchema),
});
type RightSource = ValueOf<typeof rightSource>;

/** The sources do not suffice for an application that lacks a role. */
export const explainedRight = shown('ExplainedRight', {
  right: always<Right>(oneOf(rights)),
  held: always<boolean>(flag('Whether it is held')),
  by: always<readonly RightSource[]>(list(rightSource.schema, 'Roles and grants that give it')),
});
type ExplainedRight = ValueOf<typeof explainedRight>;

interface ExplainParts {
  readonly identities: IdentityTables;
  readonly tags: Pick<Tags, 'has'>;
  readonly access: AccessRules;
}

export function explainAccess(
  parts: ExplainParts,
  caller: Caller,
  target: Target & { readonly id: string },
): ExplainedRight[] {
  const { identities, access } = parts;
  const roles = rolesOf(identities, caller);
  const grants = subjectsOf(caller).flatMap((subject) => identities.grantsOf(subject));
  const fitting = grants.filter((grant) => applies(parts, grant, target));
  return rights.map((right) => ({
    right,
    held: access.may(caller, right, target),
    by: [
      ...roles
        .filter(({ role }) => reaches(role, right, target.type, identities))
        .map(({ role, subject }) => ({ kind: 'role' as const, subject, role })),
      ...fitting
        .filter((grant) => grant.access.includes(right))
        .map((grant) => ({ kind: 'grant' as const, subject: grant.subject, target: grant.target })),
    ],
  }));
}

/** `TYPE:id` of everything by which a caller may have grants. */
function subjectsOf({ id, groups, roles }: Caller): string[] {
  return [
    `USER:${plainId(id)}`,
    ...groups.map((group) => `GROUP:${group}`),
    ...roles.map((role) => `ROLE:${role}`),
  ];
}

/** Each role with who has it: the caller, or one of its groups. */
function rolesOf(
  identities: IdentityTables,
  { id: subject, groups, roles }: Caller,
): { readonly role: string; readonly subject: RightSource['subject'] }[] {
  const ofGroups = groups.flatMap((group) =>
    (identities.group(group)?.roles ?? []).map((role) => ({
      role,
      subject: { type: 'GROUP', id: group },
    })),
  );
  const id = plainId(subject);
  const own = (identities.person(id) ?? identities.application(id.replace(/^app:/, '')))?.roles;
  return [...(own ?? roles).map((role) => ({ role, subject: { type: 'USER', id } })), ...ofGroups];
}

function applies(
  { identities, tags }: ExplainParts,
  { subject, target: granted }: Grant,
  { type, id }: Target & { readonly id: string },
): boolean {
  if (granted.type === 'TAG') return tags.has(type, id, granted.id);
  if (granted.type === 'INTEGRATION_PROVIDER' && type === 'INTEGRATION') {
    if (granted.id === id.split(':', 1)[0]) return true;
  }
  if (granted.type !== type) return false;
  if (granted.id === id) return true;
  const key = `${subject.type}:${subject.id}`;
  // The index knows where an earlier version has left a resource that is called so.
  return granted.id === everyId && identities.grantIndex.direct(key, type, undefined) !== 0;
}
