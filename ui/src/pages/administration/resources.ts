// The table of contents of the pages that administer records.
import type { JsonObject } from '../../api/types';
import type { FormSchema } from '../../forms/schema-form';
import { Invitations } from './invitations';
import { ApplicationDetail, GroupDetail, RoleDetail, UserDetail } from './people';
import { FormDetail, ScheduleDetail, WebhookDetail } from './record-details';
import { cronInWords } from '../../state/cron';
import { withOutcomes } from '../schedules/run-outcomes';
import type { Additions } from './described';
import { registryAdditions } from './registry-resources';
import { memberText, type NeededRight, type Resource } from './resource';

const at = encodeURIComponent;
const line = (title: string, description?: string): FormSchema => ({
  type: 'string',
  title,
  ...(description === undefined ? {} : { description }),
});

/** A member as text; '' when it is absent. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const users: Additions = {
  first: { id: 'ann@example.com', name: 'Ann', roles: ['USER'] },
  actions: [
    {
      title: 'Set a password',
      effect: 'All sessions of the user end. The user can change it under Account.',
      form: {
        required: ['password'],
        properties: { password: { ...line('New password'), format: 'password' } },
      },
      call: ({ id, name }, { password }) => ({
        method: 'PUT',
        path: `/api/users/${at(String(id))}`,
        body: { name, password },
      }),
    },
    {
      title: 'Remove the second factor',
      effect: 'The sign-in asks for the password only, until the user sets a factor up again.',
      call: ({ id }) => ({
        method: 'DELETE',
        path: `/api/users/${at(String(id))}/second-factor`,
      }),
    },
  ],
  aside: Invitations,
  detail: UserDetail,
};

const groups: Additions = {
  first: { id: 'operators', description: 'Operators', roles: ['USER'] },
  detail: GroupDetail,
};

const applications: Additions = { first: { name: 'shop' }, detail: ApplicationDetail };

const roles: Additions = { detail: RoleDetail };

const secrets: Additions = { first: { name: 'bank_key', value: 'its value' } };

const variables: Additions = { title: 'Environment', first: { name: 'region', value: 'eu' } };

const changesSchedule = ({ name }: JsonObject): NeededRight => ({
  ...{ type: 'WORKFLOW_SCHEDULE', right: 'UPDATE' },
  id: String(name),
});

const schedules: Additions = {
  columns: [
    ['Name', 'name'],
    ['Workflow', 'startWorkflowRequest.name'],
    ['When', 'cronExpression', (cron) => cronInWords(cron) || cron],
    ['Zone', 'zoneId'],
    ['Next run', 'nextRunTime'],
    ['Paused', 'paused'],
  ],
  second: ({ paused, pausedReason, description }) =>
    paused === true ? `Paused: ${textOf(pausedReason) || 'no reason given'}` : textOf(description),
  first: {
    name: 'every_morning',
    cronExpression: '0 0 9 * * ?',
    startWorkflowRequest: { name: 'my_workflow', version: 1 },
  },
  actions: [
    {
      title: 'Pause',
      effect: 'No run starts until it is resumed.',
      fits: ({ paused }) => paused !== true,
      needs: changesSchedule,
      form: { properties: { reason: line('Reason', 'Kept with the schedule') } },
      call: ({ name }, { reason }) => ({
        method: 'PUT',
        path: `/api/scheduler/schedules/${at(String(name))}/pause${reason === undefined ? '' : `?reason=${at(String(reason))}`}`,
      }),
    },
    {
      title: 'Resume',
      effect: 'It runs again at its next time.',
      fits: ({ paused }) => paused === true,
      needs: changesSchedule,
      call: ({ name }) => ({
        method: 'PUT',
        path: `/api/scheduler/schedules/${at(String(name))}/resume`,
      }),
    },
    {
      title: 'Run now',
      effect: 'Starts an execution with the start request of this schedule.',
      needs: ({ startWorkflowRequest }) => ({
        ...{ type: 'WORKFLOW_DEF', right: 'EXECUTE' },
        id: memberText({ startWorkflowRequest }, 'startWorkflowRequest.name'),
      }),
      call: ({ startWorkflowRequest }) => ({
        method: 'POST',
        path: '/api/workflow',
        body: startWorkflowRequest,
      }),
      answer: 'Id of the execution',
    },
  ],
  related: (name) => [
    {
      title: 'Runs',
      path: `/api/scheduler/search/executions?size=50&query=${at(`scheduleName="${name}"`)}`,
      columns: [
        { title: 'Due', member: 'scheduledTime', kind: 'time' },
        { title: 'State', member: 'state', kind: 'status' },
        { title: 'Execution', member: 'workflowId', kind: 'execution' },
        { title: 'Reason', member: 'reason' },
      ],
      fill: withOutcomes,
      more: ['startWorkflowRequest'],
      empty: 'It has not run yet.',
    },
  ],
  detail: ScheduleDetail,
  empty:
    'There are no schedules yet. A schedule starts a workflow at the times of a cron expression.',
};

const webhooks: Additions = {
  first: {
    name: 'orders',
    sourcePlatform: 'shop',
    verifier: 'HEADER_BASED',
    headers: { 'x-token': 'a token' },
    workflowsToStart: { my_workflow: 1 },
  },
  detail: WebhookDetail,
  empty:
    'There are no webhooks yet. A webhook is an address to which others send events that start or move on workflows.',
};

const forms: Additions = {
  title: 'Forms',
  one: 'form',
  detail: FormDetail,
  empty: 'There are no forms yet. A form says what a person fills in to complete a HUMAN task.',
};

const audit: Resource = {
  title: 'Audit log',
  one: 'entry',
  list: { method: 'GET', path: '/api/admin/audit?count=200' },
  records: (answer) =>
    Array.isArray(answer)
      ? (answer as readonly JsonObject[])
      : ((answer as { results?: readonly JsonObject[] }).results ?? []),
  key: 'id',
  columns: [
    ['Time', 'at'],
    ['Caller', 'caller'],
    ['Action', 'action'],
    ['Objects', 'objects'],
    ['Status', 'status'],
    ['Reason', 'reason'],
  ],
  empty:
    'Nothing was recorded yet. While authentication is on, it stands here who changed what, and when.',
};

interface TagCount {
  readonly tagKey: string;
  readonly tagValue: string | number;
  readonly resourceType: string;
  readonly countPerResourceType: number;
}

const tags: Resource = {
  title: 'Tags',
  one: 'tag',
  list: { method: 'GET', path: '/api/metadata/tags/grouped' },
  records: (answer) =>
    (answer as readonly TagCount[]).map(({ countPerResourceType: carriers, ...tag }) => ({
      ...tag,
      carriers,
      id: [tag.tagKey, tag.tagValue, tag.resourceType].join(':'),
    })),
  key: 'id',
  columns: [
    ['Key', 'tagKey'],
    ['Value', 'tagValue'],
    ['On', 'resourceType'],
    ['Carriers', 'carriers'],
  ],
  related: (_id, { tagKey, tagValue, resourceType }) => [
    {
      title: 'Carriers',
      path: `/api/metadata/tags/resources?tagKey=${at(String(tagKey))}&tagValue=${at(String(tagValue))}&resourceType=${at(String(resourceType))}`,
      columns: [
        { title: 'Name', member: 'displayName' },
        { title: 'Id', member: 'id' },
      ],
      empty: 'Nothing carries it any more.',
    },
  ],
  empty:
    'Nothing carries a tag yet. Definitions get them on their pages; rights can be granted on all that carries one.',
};

/** Pages of records that the server does not describe. */
export const resources: Readonly<Record<string, Resource>> = { audit, tags };

/** Additions to the descriptions of the server, by the names of those. */
export const additions: Readonly<Record<string, Additions>> = {
  ...{ users, groups, applications, roles, secrets, variables },
  ...{ schedules, webhooks, 'user-forms': forms },
  ...registryAdditions,
};
