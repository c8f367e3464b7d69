// Forms of prompts on the wire (contract-admin 13.1).
import { integer, list, number, object, oneOf, text, type Form } from '../form.js';
import { auditFields } from '../forms/audit-fields.js';
import { tagListForm } from '../tag-routes.js';

export const promptForm: Form = object(
  'MessageTemplate',
  {
    name: text(),
    version: integer(),
    template: text('With placeholders ${name}'),
    description: text(),
    variables: list(text(), 'Names of the placeholders'),
    integrations: list(text('provider:model')),
    tags: tagListForm,
    temperature: number(),
    topP: number(),
    responseFormat: oneOf(['text', 'json']),
    stopWords: list(text()),
    ...auditFields,
  },
  ['name', 'template'],
);
