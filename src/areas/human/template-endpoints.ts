// Routes of user forms (interface 4.7, contract-admin 11.2).
import { AppError } from '../../model/errors.js';
import { parseUserForm } from './user-form.js';
import { parseList } from '../../model/record-reader.js';
import type { HumanTasks } from './human-tasks.js';
import type { UserForms } from './user-forms.js';
import type { Tags } from '../../operation/tags/tags.js';
import { deletionRoutes } from '../../api/deletion-routes.js';
import { body, query, replies, type Endpoint } from '../../api/endpoint.js';
import { integer, list, text } from '../../api/form.js';
import { json } from '../../api/route.js';
import { tagRoutes } from '../../api/tag-routes.js';
import { newVersionFlag, templateForm, templateRequestForm } from './forms.js';

export interface UserFormRouteParts {
  readonly forms: UserForms;
  readonly tasks: HumanTasks;
  readonly tags: Tags;
}

const base = '/api/human/template';
const bulkMax = 200;

export function userFormRoutes(parts: UserFormRouteParts): Endpoint[] {
  const { forms, tags } = parts;
  return [
    ...saveEndpoints(forms),
    ...readEndpoints(parts),
    ...deletionRoutes({
      type: 'USER_FORM_TEMPLATE',
      resource: `${base}/:name`,
      version: `${base}/:name/:version`,
      noun: 'UserForm',
      called: 'user form',
      deleteAll: (name) => forms.delete(name),
      deleteVersion: (name, version) => forms.delete(name, version),
    }),
    ...tagRoutes({
      tags,
      type: 'USER_FORM_TEMPLATE',
      resource: `${base}/:name`,
      noun: 'UserForm',
      variables: ['name'],
      check: (name) => {
        if (forms.find(name) === undefined) {
          throw new AppError('not-found', `User form ${name.slice(0, 300)} not found`);
        }
      },
    }),
  ];
}

function saveEndpoints(forms: UserForms): Endpoint[] {
  const parameters = { newVersion: query(newVersionFlag) };
  return [
    {
      method: 'POST',
      pattern: base,
      name: 'saveUserForm',
      summary: 'Stores a user form.',
      access: { rule: 'each', type: 'USER_FORM_TEMPLATE', right: 'CREATE' },
      parameters,
      body: body(templateRequestForm),
      replies: replies(templateForm),
      errors: ['conflict'],
      handle: async (request) => {
        const isNew = request.queryBoolean('newVersion', false);
        const form = await forms.save(request.caller, parseUserForm(request.json()), isNew);
        return json(forms.shown(form));
      },
    },
    {
      method: 'POST',
      pattern: `${base}/bulk`,
      name: 'saveUserForms',
      summary: 'Stores several user forms.',
      access: { rule: 'each', type: 'USER_FORM_TEMPLATE', right: 'CREATE' },
      parameters,
      body: body(list(templateRequestForm)),
      replies: replies(list(templateForm)),
      errors: ['conflict'],
      handle: async (request) => {
        const isNew = request.queryBoolean('newVersion', false);
        const requests = parseList(request.json(), '', parseUserForm);
        if (requests.length > bulkMax) {
          throw new AppError('bad-request', `the list may have ${bulkMax} forms at most`);
        }
        const saved = [];
        for (const each of requests) saved.push(await forms.save(request.caller, each, isNew));
        return json(saved.map((form) => forms.shown(form)));
      },
    },
  ];
}

function readEndpoints({ forms, tasks }: UserFormRouteParts): Endpoint[] {
  return [
    {
      method: 'GET',
      pattern: base,
      name: 'listUserForms',
      summary: 'Lists user forms by name, newest version first.',
      access: { rule: 'each', type: 'USER_FORM_TEMPLATE', right: 'READ' },
      parameters: { name: query(text()), version: query(integer()) },
      body: null,
      replies: replies(list(templateForm)),
      errors: [],
      handle: (request) => {
        const name = request.query('name') || undefined;
        const found = forms.list(request.caller, name, request.queryInteger('version'));
        return json(found.map((form) => forms.shown(form)));
      },
    },
    {
      method: 'GET',
      pattern: `${base}/:humanTaskId`,
      name: 'getUserFormOfTask',
      summary: 'Shows the form of a human task.',
      access: { rule: 'each', type: 'TASK_DEF', right: 'READ' },
      parameters: {},
      body: null,
      replies: replies(templateForm),
      errors: [],
      handle: async (request) => {
        const entry = await tasks.getKnown(request.caller, request.param('humanTaskId'));
        const form = tasks.formOf(entry);
        if (form === undefined) {
          throw new AppError('bad-request', `Human task ${entry.taskId} has no user form`);
        }
        return json(forms.shown(form));
      },
    },
    {
      method: 'GET',
      pattern: `${base}/:name/:version`,
      name: 'getUserForm',
      summary: 'Shows a version of a user form; 0 is the newest.',
      access: { rule: 'target', type: 'USER_FORM_TEMPLATE', right: 'READ', id: 'name' },
      parameters: {},
      path: { version: integer() },
      body: null,
      replies: replies(templateForm),
      errors: ['not-found'],
      handle: (request) =>
        json(forms.shown(forms.get(request.param('name'), request.paramInteger('version')))),
    },
  ];
}
