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
  readonly assignee?: { readonly userType: string; readonly user: string };
  readonly claimant?: { readonly userType: string; readonly user: string };
  readonly humanTaskDef?: JsonObject;
  readonly input: JsonObject;
  readonly output?: JsonObject;
  readonly createdOn?: number;
}

export interface UserForm {
  readonly name: string;
  readonly version: number;
  readonly jsonSchema: FormSchema;
}

export const inboxViews = ['mine', 'open', 'all'] as const;
export type InboxView = (typeof inboxViews)[number];

const openStates = ['PENDING', 'ASSIGNED', 'IN_PROGRESS'];
export const tasksPath = '/api/human/tasks';
const size = 100;

export async function searchEntries(
  view: InboxView,
  signal?: AbortSignal,
): Promise<readonly HumanEntry[]> {
  const body = {
    searchType: view === 'mine' ? 'INBOX' : 'ADMIN',
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
