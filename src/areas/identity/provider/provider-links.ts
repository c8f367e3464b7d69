// Which identity of the provider belongs to which account (docs/access.md, "Identity provider"). An
// account that the provider's first sign-in made is linked to that identity at once. One that was
// there before is linked by a verified address, and where it has more than default rights only on
// the word of an administrator. From then on no other identity signs in to it.
import { requireAdministrator } from '../../../access/access-rules.js';
import type { Caller } from '../../../model/caller.js';
import { plainId } from '../../../model/subject.js';
import type { Person } from '../identities.js';
import { AppError } from '../../../model/errors.js';
import { changeRecord } from '../../../operation/records/change-record.js';
import type { IdentityTables } from '../identity-tables.js';
import type { ProviderLink } from './provider-link.js';
import type { Persons } from '../users/persons.js';

/** The identity at the provider: unique and never given to another one (OpenID Connect Core 2). */
export interface ProviderIdentity {
  readonly issuer: string;
  readonly subject: string;
}

/** One that shows the id of an account. */
export interface ShownIdentity extends ProviderIdentity {
  /** The id is an address that the provider has verified. */
  readonly isVerified: boolean;
}

/** The operations of administrators on links. */
export class ProviderLinks {
  constructor(
    private readonly identities: IdentityTables,
    private readonly persons: Pick<Persons, 'person'>,
  ) {}

  /** Throws AppError 'not-found' for an unknown user. */
  get(userId: string): ProviderLink | { readonly id: string; readonly state: 'NONE' } {
    const { id } = this.persons.person(userId);
    const link = this.identities.providerLinks.get(id);
    return link ?? { id, state: 'NONE' };
  }

  /**
   * The next identity that shows the account's id is linked. Rejects as `get`, and with AppError
   * 'forbidden' for a caller who is no administrator when the turn comes.
   */
  async allow(caller: Caller, userId: string, now: number): Promise<ProviderLink> {
    const { id } = this.persons.person(userId);
    const word = { id, state: 'ALLOWED', by: plainId(caller.id), at: now } as const;
    return await changeRecord(this.identities.providerLinks, id, () => {
      requireAdministrator(caller);
      return word;
    });
  }

  /** Rejects as `get`. */
  async remove(userId: string): Promise<void> {
    const { id } = this.persons.person(userId);
    await this.identities.providerLinks.remove(id);
  }
}

/**
 * Throws AppError 'unauthenticated' when the identity may not sign in to this account. `given`:
 * what this sign-in gives the account.
 */
export function checkLink(
  account: Person,
  identity: ShownIdentity,
  given: Pick<Person, 'roles' | 'groups'>,
  identities: IdentityTables,
): void {
  const link = identities.providerLinks.get(account.id);
  if (link?.state === 'ALLOWED') return;
  if (link?.state === 'LINKED') {
    if (link.issuer === identity.issuer && link.subject === identity.subject) return;
    throw refused(`${account.id} is linked to another identity of the provider`);
  }
  if (!identity.isVerified) {
    throw refused(
      `${account.id} was there before and is no verified address: an administrator must allow that it signs in through the provider`,
    );
  }
  if (!hasMore(account, given, identities)) return;
  throw refused(
    `${account.id} has more than default rights: an administrator must allow that it signs in through the provider`,
  );
}

/** Roles that everybody may have. */
const defaultRoles: readonly string[] = ['USER'];

/**
 * Whether the account has rights that neither everybody nor this sign-in has. Its grants count
 * where it has a password; without one it was made for the provider, and they may be what it
 * created.
 */
function hasMore(
  account: Person,
  given: Pick<Person, 'roles' | 'groups'>,
  identities: IdentityTables,
): boolean {
  const rolesOf = ({ roles, groups }: Pick<Person, 'roles' | 'groups'>): string[] => [
    ...roles,
    ...groups.flatMap((id) => identities.group(id)?.roles ?? []),
  ];
  const allowed = new Set([...defaultRoles, ...rolesOf(given)]);
  if (rolesOf(account).some((role) => !allowed.has(role))) return true;
  const granted = (subject: string): boolean => identities.grantsOf(subject).length > 0;
  const groups = account.groups.filter((id) => !given.groups.includes(id));
  if (groups.some((id) => granted(`GROUP:${id}`))) return true;
  return account.passwordHash !== undefined && granted(`USER:${account.id}`);
}

function refused(message: string): AppError {
  return new AppError('unauthenticated', message, { tokenError: 'INVALID_TOKEN' });
}
