// Forms of integrations on the wire (contract-admin 14.1).
import { categories } from '../../model/provider-category.js';
import { limitPeriods } from './integration.js';
import {
  anyObject,
  flag,
  integer,
  list,
  object,
  oneOf,
  text,
  time,
  type Form,
} from '../../api/form.js';
import { auditFields } from '../../api/forms/audit-fields.js';
import { tagListForm } from '../../api/tag-routes.js';

const common = {
  description: text(),
  enabled: flag(),
  configuration: { ...anyObject, description: 'Secrets are answered as ***' },
};

export const apiUpdateForm: Form = object('IntegrationApiUpdate', {
  ...common,
  maxTokens: integer('Tokens that the model may use in a period; 0: any number'),
  frequency: text('daily, weekly or monthly'),
});

export const apiForm: Form = object(
  'IntegrationApi',
  {
    integrationName: text(),
    api: text(),
    ...common,
    maxTokens: integer(),
    frequency: text(),
    tags: tagListForm,
    ...auditFields,
  },
  ['api'],
);

export const providerUpdateForm: Form = object('IntegrationUpdate', {
  type: text(),
  category: oneOf(categories),
  ...common,
});

export const providerForm: Form = object(
  'Integration',
  {
    name: text(),
    type: text(),
    category: oneOf(categories),
    ...common,
    modelsCount: integer('Models that the caller may read'),
    apis: list(apiForm),
    tags: tagListForm,
    ...auditFields,
  },
  ['name'],
);

export const definitionForm: Form = object(
  'IntegrationDef',
  {
    name: text(),
    type: text(),
    category: text(),
    categoryLabel: text(),
    description: text(),
    enabled: flag(),
    iconName: text(),
    tags: list(text()),
    configuration: list(anyObject),
    apis: list(anyObject),
  },
  ['name'],
);

export const tokenLimitForm: Form = object('TokenLimit', {
  integrationName: text(),
  api: text(),
  maxTokens: integer('0: any number'),
  tokenLimitPeriod: oneOf(limitPeriods),
  ...auditFields,
});

export const tokenUsageForm: Form = object('TokenUsageLog', {
  integrationName: text(),
  api: text(),
  periodStart: time('First moment of the UTC day'),
  promptTokens: integer(),
  completionTokens: integer(),
  totalTokens: integer(),
});

export const eventForm: Form = object('EventLog', {
  id: text(),
  event: text(),
  eventType: oneOf(['SEND', 'RECEIVE']),
  handlerName: text(),
  taskId: text(),
  workerId: text(),
  createdAt: time(),
});
