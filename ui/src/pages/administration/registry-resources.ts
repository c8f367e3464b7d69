// Pages of what definitions refer to: prompts, integrations, schemas, remote services, event
// handlers, and outgoing webhooks.
import type { JsonObject } from '../../api/types';
import type { FormSchema } from '../../forms/schema-form';
import { EventTrial } from './event-trial';
import type { Additions } from './described';
import type { NeededRight } from './resource';

const at = encodeURIComponent;
const line = (title: string, description = ''): FormSchema => ({
  type: 'string',
  title,
  description,
});
const json = (type: 'array' | 'object', title: string, description = ''): FormSchema => ({
  type,
  title,
  description,
});
/** A member as text; '' when it is absent. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const prompts: Additions = {
  actions: [
    {
      title: 'Test',
      effect: 'Sends the prompt to a model and shows what it answers. Nothing is kept.',
      form: {
        required: ['llmProvider', 'model'],
        properties: {
          llmProvider: line('Integration', 'Its name'),
          model: line('Model', 'Its name at the provider'),
          promptVariables: json('object', 'Variables', '{"name": "Ann"}'),
        },
      },
      call: ({ template }, typed) => ({
        method: 'POST',
        path: '/api/prompts/test',
        body: { prompt: template, ...typed },
      }),
      answer: 'What the model answered',
    },
  ],
  related: (name) => [
    {
      title: 'Versions',
      path: `/api/prompts/${at(name)}/versions`,
      columns: [
        { title: 'Version', member: 'version' },
        { title: 'Description', member: 'description' },
        { title: 'Changed', member: 'updateTime', kind: 'time' },
      ],
      more: ['template'],
      empty: 'There are none.',
    },
  ],
};

const integrations: Additions = {
  needed: ['type', 'category'],
  related: (name) => [
    {
      title: 'Models',
      path: `/api/integrations/provider/${at(name)}/integration?activeOnly=false`,
      columns: [
        { title: 'Model', member: 'api' },
        { title: 'Enabled', member: 'enabled' },
        { title: 'Description', member: 'description' },
      ],
      more: ['configuration'],
      empty: 'It has none.',
    },
  ],
};

const schemas: Additions = {
  first: { name: 'order', type: 'JSON', data: { type: 'object' } },
  empty: 'There are no schemas yet. A schema checks the input and output of workflows and tasks.',
};

const servicePath = (name: unknown): string => `/api/registry/service/${at(textOf(name))}`;

const changesService = ({ name }: JsonObject): NeededRight => ({
  ...{ type: 'SERVICE_REGISTRY', right: 'UPDATE' },
  id: textOf(name),
});

const services: Additions = {
  title: 'Remote services',
  one: 'remote service',
  actions: [
    {
      title: 'Discover methods',
      effect: 'Reads the methods from the description of the service and stores them.',
      needs: changesService,
      call: ({ name }) => ({ method: 'GET', path: `${servicePath(name)}/discover?create=true` }),
    },
    {
      title: 'Open circuit',
      effect: 'Calls of this service fail at once until it is closed.',
      needs: changesService,
      fits: ({ circuitBreakerEnabled }) => circuitBreakerEnabled === true,
      call: ({ name }) => ({ method: 'POST', path: `${servicePath(name)}/circuit-breaker/open` }),
    },
    {
      title: 'Close circuit',
      effect: 'Calls of this service go out again.',
      needs: changesService,
      fits: ({ circuitBreakerEnabled }) => circuitBreakerEnabled === true,
      call: ({ name }) => ({ method: 'POST', path: `${servicePath(name)}/circuit-breaker/close` }),
    },
  ],
  related: (name) => [
    {
      title: 'Circuit breaker',
      path: `${servicePath(name)}/circuit-breaker/status`,
      columns: [
        { title: 'State', member: 'currentState', kind: 'status' },
        { title: 'Before', member: 'previousState', kind: 'status' },
        { title: 'Changed', member: 'transitionTimestamp', kind: 'time' },
        { title: 'Message', member: 'message' },
      ],
      rows: (answer) => [answer as JsonObject],
      empty: '',
    },
  ],
  empty:
    'There are no remote services yet. Their methods are called by HTTP and gRPC tasks, with a circuit breaker.',
};

const deadLetters = (handler: unknown): string =>
  `/api/event/handler/${at(textOf(handler))}/dead-letters`;

const events: Additions = {
  needed: ['actions'],
  second: ({ active, description }) =>
    active === false ? 'Not active: it deals with no message' : textOf(description),
  first: {
    name: 'on_order',
    event: 'conductor:orders',
    actions: [{ action: 'start_workflow', start_workflow: { name: 'my_workflow' } }],
    active: true,
  },
  trial: EventTrial,
  actions: [
    {
      title: 'Send dead letters anew',
      effect: 'What failed of the newest messages is carried out again, what succeeded is not.',
      needs: ({ name }) => ({ type: 'EVENT_HANDLER', id: textOf(name), right: 'EXECUTE' }),
      call: ({ name }) => ({ method: 'POST', path: `${deadLetters(name)}/redeliver` }),
      answer: 'What became of them',
    },
    {
      title: 'Discard dead letters',
      effect: 'All messages that this handler could not deal with are removed for good.',
      danger: true,
      needs: ({ name }) => ({ type: 'EVENT_HANDLER', id: textOf(name), right: 'UPDATE' }),
      call: ({ name }) => ({ method: 'POST', path: `${deadLetters(name)}/discard` }),
    },
  ],
  related: (name) => [
    {
      title: 'What it did',
      path: `/api/event/execution/${at(name)}`,
      columns: [
        { title: 'Time', member: 'created', kind: 'time' },
        { title: 'State', member: 'status', kind: 'status' },
        { title: 'Action', member: 'action', kind: 'status' },
        { title: 'Message', member: 'messageId' },
        { title: 'Reason', member: 'statusDescription' },
      ],
      more: ['output', 'payload'],
      empty: 'It has dealt with no message yet.',
    },
    {
      title: 'Dead letters',
      path: deadLetters(name),
      columns: [
        { title: 'Failed', member: 'failedAt', kind: 'time' },
        { title: 'Message', member: 'messageId' },
        { title: 'Reason', member: 'reason' },
      ],
      more: ['payload'],
      empty: 'None: it has dealt with every message.',
    },
  ],
  empty:
    'There are no event handlers yet. A handler starts a workflow or completes a task when a message arrives.',
};

const outgoingPath = '/api/metadata/outgoing-webhook';

const outgoing: Additions = {
  showsSaved: true,
  first: {
    name: 'tell_shop',
    url: 'https://shop.example.com/done',
    events: ['WORKFLOW_COMPLETED'],
  },
  actions: [
    {
      title: 'Send dead letters anew',
      effect: 'Every delivery that was given up is sent again, under its id.',
      needs: ({ id }) => ({ type: 'WEBHOOK', id: textOf(id), right: 'EXECUTE' }),
      call: ({ id }) => ({
        method: 'POST',
        path: `${outgoingPath}/${at(textOf(id))}/dead-letters/redeliver`,
      }),
    },
  ],
  related: (id) => [
    {
      title: 'Deliveries',
      path: `${outgoingPath}/${at(id)}/deliveries`,
      columns: [
        { title: 'Time', member: 'time', kind: 'time' },
        { title: 'Event', member: 'eventType', kind: 'status' },
        { title: 'Attempt', member: 'attempt' },
        { title: 'Status', member: 'status' },
        { title: 'Outcome', member: 'outcome', kind: 'status' },
        { title: 'Took', member: 'durationMs', kind: 'duration' },
        { title: 'Error', member: 'error' },
      ],
      empty: 'Nothing was sent yet.',
    },
    {
      title: 'Dead letters',
      path: `${outgoingPath}/${at(id)}/dead-letters`,
      columns: [
        { title: 'Given up', member: 'diedAt', kind: 'time' },
        { title: 'Event', member: 'eventType', kind: 'status' },
        { title: 'Attempts', member: 'attempts' },
        { title: 'Error', member: 'lastError' },
      ],
      more: ['body'],
      empty: 'None: everything arrived.',
    },
  ],
  empty:
    'There are no outgoing webhooks yet. They tell another server when workflows and tasks end.',
};

export const registryAdditions: Readonly<Record<string, Additions>> = {
  ...{ prompts, integrations, schemas, services },
  ...{ 'event-handlers': events, 'outgoing-webhooks': outgoing },
};
