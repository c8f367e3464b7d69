// The actions that a caller may take on a human task, as far as the page can know: the server
// decides. The members of a group are not known here, so that a task for a group refuses nobody.
import type { Features, HumanTaskEntry, HumanTaskUser } from '../../api/types';

export interface Allowed {
  /** Why nothing can be entered or given back; undefined when it can. */
  readonly enter: string | undefined;
  /** Whether the task is claimed before something is entered. */
  readonly claimsFirst: boolean;
  readonly skip: string | undefined;
  readonly reassign: string | undefined;
}

export const isOpen = ({ state }: HumanTaskEntry): boolean =>
  !/COMPLETED|TIMED_OUT|DELETED/.test(state);

export function allowedOn(entry: HumanTaskEntry, user: Features['user'] | undefined): Allowed {
  const { assignee, claimant, createdBy } = entry;
  const id = user?.id ?? '';
  const isAnybody = id === '' || user?.administrator === true || createdBy === id;
  const claimed =
    claimant === undefined || isCaller(claimant, id) || isAnybody
      ? undefined
      : `${claimant.user} has claimed it`;
  const forOther =
    assignee === undefined || isCaller(assignee, id) || isGroup(assignee) || isAnybody
      ? undefined
      : `It is for ${assignee.user}`;
  const isClaimed = claimant === undefined ? undefined : 'Release it first';
  return {
    enter: claimed ?? (claimant === undefined ? forOther : undefined),
    claimsFirst: claimant === undefined && !isAnybody,
    skip: isClaimed ?? (assignee === undefined ? 'It is for nobody in particular' : forOther),
    reassign: isClaimed ?? forOther,
  };
}

const isGroup = ({ userType }: HumanTaskUser): boolean => userType.endsWith('GROUP');

const isCaller = ({ userType, user }: HumanTaskUser, id: string): boolean =>
  !userType.endsWith('GROUP') && user === id;
