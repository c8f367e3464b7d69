// Human tasks as the inbox asks for them.
import { ask } from '../../api/client';
import type { Found, JsonObject } from '../../api/types';
import type { FormSchema } from '../../forms/schema-form';

export interface HumanEntry {
  readonly taskId: string;
  readonly state: 'PENDING' | 'ASSIGNED' | 'IN_PROGRESS' | 'COMPLETED' | 'TIMED_OUT' | 'DELETED';
  readonly displayName: string;
  readonly definitionName: string;
  readonly workflowId: string;
  readonly workflowName: string;
  readonly taskRefName: string;
  readonly assignee?: HumanUser;
  readonly claimant?: HumanUser;
  readonly humanTaskDef?: JsonObject;
  readonly input: JsonObject;
  readonly output?: JsonObject;
  readonly createdBy?: string;
  readonly createdOn?: number;
  readonly updatedBy?: string;
  readonly updatedOn?: number;
}

export interface HumanUser {
  readonly userType: string;
  readonly user: string;
}

export interface UserForm {
  readonly name: string;
  readonly version: number;
  readonly jsonSchema: FormSchema;
  readonly templateUI?: unknown;
}

/** `open`: of everybody, which administrators alone see. */
export type InboxView = 'mine' | 'open' | 'all';

export function inboxViews(isAdministrator: boolean): readonly InboxView[] {
  return isAdministrator ? ['mine', 'open', 'all'] : ['mine', 'all'];
}

const openStates = ['PENDING', 'ASSIGNED', 'IN_PROGRESS'];
export const tasksPath = '/api/human/tasks';
const size = 100;

interface Asked {
  readonly view: InboxView;
  readonly isAdministrator: boolean;
}

/** Those that wait longest come first. */
export async function searchEntries(
  { view, isAdministrator }: Asked,
  signal?: AbortSignal,
): Promise<readonly HumanEntry[]> {
  const body = {
    searchType: view === 'mine' || !isAdministrator ? 'INBOX' : 'ADMIN',
    ...(view === 'all' ? {} : { states: openStates }),
    start: 0,
    size,
  };
  const found = await ask<Found<HumanEntry>>(`${tasksPath}/search`, {
    method: 'POST',
    body,
    ...(signal === undefined ? {} : { signal }),
  });
  return [...found.results].sort((a, b) => (a.createdOn ?? 0) - (b.createdOn ?? 0));
}
