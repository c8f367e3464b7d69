// Routes of prompts (contract-admin 13.2), and of those that models are attached to (14.2).
import { body, endpoint, listOf, nothing, query, type Endpoint } from '../../api/endpoint.js';
import { flag, integer, text } from '../../model/schema.js';
import type { RouteRequest } from '../../api/route.js';
import { textOfBody } from '../../api/text-body.js';
import type { Ports } from '../ports.js';
import { prompt, sentAlone, sentPrompts, type PromptFields, type ShownPrompt } from './prompt.js';
import type { Prompts } from './prompts.js';

const base = '/api/prompts';
const each = (right: 'READ' | 'CREATE' | 'UPDATE') =>
  ({ rule: 'each', type: 'PROMPT', right }) as const;

export interface PromptRouteParts extends Pick<Ports, 'integrations'> {
  readonly prompts: Prompts;
}

export function promptRoutes(parts: PromptRouteParts): Endpoint[] {
  const { prompts } = parts;
  return [
    ...savingEndpoints(prompts),
    ...prompts.reading(),
    ...prompts.deleting(),
    ...prompts.tagging(),
    ...attachingEndpoints(parts),
  ];
}

const saveParameters = {
  description: query(text(), { required: true }),
  models: query(text('provider:model'), { repeated: true }),
  version: query(integer('The version to write')),
};
/** Both write the template that the body is. */
const saving = {
  body: body(text('The template, quoted as JSON or not')),
  reply: nothing,
  errors: ['not-found', 'conflict'],
} as const;

function fieldsOf(request: RouteRequest): PromptFields {
  const {
    'the body': template,
    models,
    ...fields
  } = sentAlone.parse({
    name: request.param('name'),
    'the body': textOfBody(request.text()),
    description: request.query('description'),
    models: request.queryAll('models'),
    version: request.queryInteger('version'),
  });
  return { ...fields, template, integrations: models };
}

function savingEndpoints(prompts: Prompts): Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      pattern: base,
      name: 'savePrompts',
      summary: 'Saves prompts in their order.',
      access: each('CREATE'),
      parameters: { newVersion: query(flag('Store those that name no version behind the newest')) },
      body: sentPrompts,
      reply: nothing,
      errors: ['not-found', 'conflict'],
      handle: (request, sent) => {
        request.noteObjects(sent.map(({ name }) => name));
        const isNew = request.queryBoolean('newVersion');
        return prompts.saveAll(request.caller, sent, isNew ? 'next' : 'newest');
      },
    }),
    endpoint({
      ...saving,
      method: 'POST',
      pattern: `${base}/:name`,
      name: 'savePrompt',
      summary: 'Writes a version of a prompt: the one named, the next one, or the first.',
      access: each('CREATE'),
      parameters: {
        ...saveParameters,
        autoIncrement: query(flag('Write the newest version + 1', { default: false })),
      },
      handle: async (request) => {
        const { version = 1, ...fields } = fieldsOf(request);
        const isNext = request.queryBoolean('autoIncrement');
        const options = { keepsAuthor: false };
        await prompts.save(request.caller, fields, isNext ? 'next' : version, options);
      },
    }),
    endpoint({
      ...saving,
      method: 'PUT',
      pattern: `${base}/:name`,
      name: 'updatePrompt',
      summary: 'Writes a version of a prompt: the one named or the newest.',
      access: each('UPDATE'),
      parameters: saveParameters,
      handle: async (request) => {
        const { version = 'newest', ...fields } = fieldsOf(request);
        await prompts.save(request.caller, fields, version);
      },
    }),
  ];
}

function attachingEndpoints({ prompts, integrations }: PromptRouteParts): Endpoint[] {
  const attached = '/api/integrations/provider/:provider/integration/:model/prompt';
  const modelOf = (request: RouteRequest) =>
    [request.param('provider'), request.param('model')] as const;
  return [
    endpoint({
      method: 'POST',
      pattern: `${attached}/:prompt`,
      name: 'attachPrompt',
      summary: 'Attaches a prompt to a model.',
      access: each('UPDATE'),
      reply: nothing,
      errors: ['not-found'],
      handle: (request) =>
        prompts.attach(request.caller, request.param('prompt'), ...modelOf(request)),
    }),
    endpoint({
      method: 'GET',
      pattern: attached,
      name: 'listAttachedPrompts',
      summary: 'Lists the prompts that are attached to a model.',
      access: each('READ'),
      reply: listOf<ShownPrompt>(prompt.shown),
      errors: ['not-found'],
      handle: (request) => {
        const { caller } = request;
        integrations.require(caller, 'READ', ...modelOf(request));
        integrations.api(...modelOf(request));
        return prompts.withModel(caller, ...modelOf(request)).map((found) => prompts.shown(found));
      },
    }),
  ];
}
