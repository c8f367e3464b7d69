// Routes of prompts (contract-admin 13.2).
import { wrongField } from '../../model/errors.js';
import {
  checkModels,
  checkTemplate,
  checkVersion,
  parsePrompts,
  type PromptFields,
} from '../../model/registry/prompt.js';
import { checkName, descriptionCharsMax } from '../../model/registry/fields.js';
import type { Prompts, PromptVersion } from '../../operation/prompts/prompts.js';
import type { Tags } from '../../operation/tags/tags.js';
import { deletionRoutes } from '../deletion-routes.js';
import { body, query, replies, type Endpoint } from '../endpoint.js';
import { flag, integer, list, text, type Form } from '../form.js';
import { empty, json, type RouteRequest } from '../route.js';
import { tagRoutes } from '../tag-routes.js';
import { textOfBody } from '../text-body.js';
import { promptForm } from './forms.js';

export interface PromptRouteParts {
  readonly prompts: Prompts;
  readonly tags: Tags;
}

const base = '/api/prompts';
const templateForm: Form = text('The template, quoted as JSON or not');

export function promptRoutes({ prompts, tags }: PromptRouteParts): Endpoint[] {
  return [
    ...savingEndpoints(prompts),
    ...readingEndpoints(prompts),
    ...deletionRoutes({
      type: 'PROMPT',
      resource: `${base}/:name`,
      version: `${base}/:name/versions/:version`,
      noun: 'Prompt',
      called: 'prompt',
      deleteAll: (name) => prompts.delete(name),
      deleteVersion: (name, version) => prompts.deleteVersion(name, version),
    }),
    ...tagRoutes({
      tags,
      type: 'PROMPT',
      resource: `${base}/:name`,
      noun: 'Prompt',
      variables: ['name'],
      check: (name) => void prompts.get(name),
    }),
  ];
}

const saveParameters = {
  description: query(text(), { required: true }),
  models: query(text('provider:model'), { repeated: true }),
  version: query(integer('The version to write')),
};

function fieldsOf(request: RouteRequest): PromptFields {
  const description = request.query('description');
  if (description === undefined) throw wrongField('description', 'is required');
  if (description.length > descriptionCharsMax) {
    throw wrongField('description', `may have ${descriptionCharsMax} characters at most`);
  }
  return {
    template: checkTemplate(textOfBody(request.text()), 'the body'),
    description,
    integrations: checkModels(request.queryAll('models'), 'models'),
  };
}

function versionOf(request: RouteRequest): number | undefined {
  const version = request.queryInteger('version');
  return version === undefined ? undefined : checkVersion(version, 'version');
}

function savingEndpoints(prompts: Prompts): Endpoint[] {
  const save = async (
    request: RouteRequest,
    options: { readonly version: PromptVersion; readonly keepsAuthor: boolean },
  ): Promise<ReturnType<typeof empty>> => {
    const name = checkName(request.param('name'), 'name');
    await prompts.save(request.caller, name, fieldsOf(request), options);
    return empty();
  };
  return [
    {
      method: 'POST',
      pattern: base,
      name: 'savePrompts',
      summary: 'Saves prompts in their order.',
      access: { rule: 'each', type: 'PROMPT', right: 'CREATE' },
      parameters: {},
      body: body(list(promptForm)),
      replies: replies(null),
      errors: ['not-found', 'conflict'],
      handle: async (request) => {
        await prompts.saveAll(request.caller, parsePrompts(request.json()));
        return empty();
      },
    },
    {
      method: 'POST',
      pattern: `${base}/:name`,
      name: 'savePrompt',
      summary: 'Writes a version of a prompt: the one named, the next one, or the first.',
      access: { rule: 'each', type: 'PROMPT', right: 'CREATE' },
      parameters: {
        ...saveParameters,
        autoIncrement: query(flag('Write the newest version + 1', { default: false })),
      },
      body: body(templateForm),
      replies: replies(null),
      errors: ['not-found', 'conflict'],
      handle: (request) => {
        const isNext = request.queryBoolean('autoIncrement', false);
        const version = isNext ? 'next' : (versionOf(request) ?? 1);
        return save(request, { version, keepsAuthor: false });
      },
    },
    {
      method: 'PUT',
      pattern: `${base}/:name`,
      name: 'updatePrompt',
      summary: 'Writes a version of a prompt: the one named or the newest.',
      access: { rule: 'each', type: 'PROMPT', right: 'UPDATE' },
      parameters: saveParameters,
      body: body(templateForm),
      replies: replies(null),
      errors: ['not-found', 'conflict'],
      handle: (request) =>
        save(request, { version: versionOf(request) ?? 'newest', keepsAuthor: true }),
    },
  ];
}

function readingEndpoints(prompts: Prompts): Endpoint[] {
  return [
    {
      method: 'GET',
      pattern: base,
      name: 'listPrompts',
      summary: 'Lists the newest version of every prompt, by name.',
      access: { rule: 'each', type: 'PROMPT', right: 'READ' },
      parameters: {},
      body: null,
      replies: replies(list(promptForm)),
      errors: [],
      handle: (request) =>
        json(prompts.list(request.caller).map((prompt) => prompts.shown(prompt))),
    },
    {
      method: 'GET',
      pattern: `${base}/:name`,
      name: 'getPrompt',
      summary: 'Shows a version of a prompt, the newest unless one is named.',
      access: { rule: 'target', type: 'PROMPT', right: 'READ', id: 'name' },
      parameters: { version: query(integer()) },
      body: null,
      replies: replies(promptForm),
      errors: ['not-found'],
      handle: (request) =>
        json(prompts.shown(prompts.get(request.param('name'), request.queryInteger('version')))),
    },
    {
      method: 'GET',
      pattern: `${base}/:name/versions`,
      name: 'listPromptVersions',
      summary: 'Lists the versions of a prompt, newest first.',
      access: { rule: 'target', type: 'PROMPT', right: 'READ', id: 'name' },
      parameters: {},
      body: null,
      replies: replies(list(promptForm)),
      errors: ['not-found'],
      handle: (request) =>
        json(prompts.versions(request.param('name')).map((prompt) => prompts.shown(prompt))),
    },
  ];
}
