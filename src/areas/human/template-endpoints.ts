// Routes of user forms (interface 4.7, contract-admin 11.2).
import { endpoint, listOf, one, query, type Endpoint } from '../../api/endpoint.js';
import { flag, integer, text } from '../../model/schema.js';
import { sentList } from '../../model/record.js';
import { AppError } from '../../model/errors.js';
import type { HumanTasks } from './human-tasks.js';
import { userForm, type ShownUserForm, type UserForm } from './user-form.js';
import type { UserForms } from './user-forms.js';

export interface UserFormRouteParts {
  readonly forms: UserForms;
  readonly tasks: HumanTasks;
}

const base = '/api/human/template';
const bulkMax = 200;
const oneForm = one<ShownUserForm>(userForm.shown);
const allForms = listOf<ShownUserForm>(userForm.shown);

export function userFormRoutes(parts: UserFormRouteParts): Endpoint[] {
  const { forms } = parts;
  return [
    forms.saving(),
    bulkEndpoint(forms),
    ...readEndpoints(parts),
    ...forms.deleting(),
    ...forms.tagging(),
  ];
}

function bulkEndpoint(forms: UserForms): Endpoint {
  return endpoint({
    method: 'POST',
    pattern: `${base}/bulk`,
    name: 'saveUserForms',
    summary: 'Stores several user forms.',
    access: { rule: 'each', type: 'USER_FORM_TEMPLATE', right: 'CREATE' },
    parameters: { newVersion: query(flag('Store as the version behind the newest')) },
    body: sentList(userForm.request, 'forms', bulkMax),
    reply: allForms,
    errors: ['conflict'],
    handle: async (request, sent) => {
      const version = request.queryBoolean('newVersion') ? 'next' : 'newest';
      request.noteObjects(sent.map(({ name }) => name));
      const saved: UserForm[] = [];
      for (const each of sent) {
        saved.push(await forms.save(request.caller, each, each.version || version));
      }
      return saved.map((form) => forms.shown(form));
    },
  });
}

function readEndpoints({ forms, tasks }: UserFormRouteParts): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      pattern: base,
      name: 'listUserForms',
      summary: 'Lists user forms by name, newest version first.',
      access: { rule: 'each', type: 'USER_FORM_TEMPLATE', right: 'READ' },
      parameters: { name: query(text()), version: query(integer()) },
      reply: allForms,
      lists: { ...forms.listed, rows: 'versions' },
      handle: (request) => {
        const name = request.query('name') || undefined;
        const version = request.queryInteger('version') || undefined;
        return forms
          .list(request.caller)
          .filter((form) => name === undefined || form.name === name)
          .filter((form) => version === undefined || form.version === version)
          .map((form) => forms.shown(form));
      },
    }),
    endpoint({
      method: 'GET',
      pattern: `${base}/:humanTaskId`,
      name: 'getUserFormOfTask',
      summary: 'Shows the form of a human task.',
      access: { rule: 'each', type: 'TASK_DEF', right: 'READ' },
      reply: oneForm,
      handle: async (request) => {
        const entry = await tasks.getKnown(request.caller, request.param('humanTaskId'));
        const form = await tasks.formOf(entry);
        if (form !== undefined) return forms.shown(form);
        throw new AppError('bad-request', `Human task ${entry.taskId} has no user form`);
      },
    }),
    endpoint({
      method: 'GET',
      pattern: `${base}/:name/:version`,
      name: 'getUserForm',
      summary: 'Shows a version of a user form; 0 is the newest.',
      access: { rule: 'target', type: 'USER_FORM_TEMPLATE', right: 'READ', id: 'name' },
      path: { version: integer() },
      reply: oneForm,
      errors: ['not-found'],
      handle: (request) =>
        forms.shown(forms.get(request.param('name'), request.paramInteger('version'))),
    }),
  ];
}
