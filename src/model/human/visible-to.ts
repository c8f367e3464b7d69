// Which human tasks somebody may see: administrators all of them, others those of executions they
// own (ADMIN), or what they may do (INBOX): assigned to them or to one of their groups, claimed by
// them, or open to everybody.
import { isAdministrator, type Caller } from '../caller.js';
import { comparedName, type HumanUser } from './human-definition.js';
import type { HumanTaskEntry } from './human-entry.js';
import { plainId } from '../subject.js';

/** Whether only what the caller may do is asked for. */
export function isInbox(caller: Caller, searchType: 'ADMIN' | 'INBOX' | undefined): boolean {
  if (caller.kind === 'local') return false;
  return (searchType ?? (isAdministrator(caller) ? 'ADMIN' : 'INBOX')) === 'INBOX';
}

/** While authentication is off everything is everybody's: undefined, all of them. */
export function visibleTo(
  caller: Caller,
  searchType: 'ADMIN' | 'INBOX' | undefined,
):
  | ((entry: Claimed & Pick<HumanTaskEntry, 'assignee' | 'state' | 'createdBy'>) => boolean)
  | undefined {
  if (caller.kind === 'local') return undefined;
  if (!isInbox(caller, searchType)) {
    return isAdministrator(caller) ? undefined : ({ createdBy }) => createdBy === caller.id;
  }
  return ({ assignee, claimant, claimedBy, state }) =>
    isClaimant(caller, { claimant, claimedBy }) ||
    isUser(caller, assignee) ||
    (assignee === undefined &&
      claimant === undefined &&
      (state === 'ASSIGNED' || state === 'PENDING'));
}

type Claimed = {
  readonly [Name in 'claimant' | 'claimedBy']?: HumanTaskEntry[Name] | undefined;
};

/** Whether the caller holds the claim: not who had the id before (docs/access.md). */
export function isClaimant(caller: Caller, { claimant, claimedBy }: Claimed): boolean {
  return isUser(caller, claimant) && (claimedBy === undefined || claimedBy === caller.id);
}

/** Whether the caller is a user of this server, or a member of a group of it. */
export function isUser(caller: Caller, user: HumanUser | undefined): boolean {
  if (user?.userType === 'CONDUCTOR_USER') {
    return comparedName(user.userType, user.user) === nameOf(caller);
  }
  return user?.userType === 'CONDUCTOR_GROUP' && caller.groups.includes(user.user);
}

/** The caller and its groups, as tasks name them. */
export function usersOf(caller: Caller): HumanUser[] {
  return [
    { userType: 'CONDUCTOR_USER', user: nameOf(caller) },
    ...caller.groups.map((user) => ({ userType: 'CONDUCTOR_GROUP', user }) as const),
  ];
}

/** While authentication is off there is one user, without an id. */
export function nameOf({ id }: Caller): string {
  return id === '' ? 'local' : plainId(id);
}
