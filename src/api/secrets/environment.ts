// Endpoints of environment variables (contract-admin 8.2). Tags stand by name, whether or not there
// is a variable of the name.
import type { EnvironmentVariables } from '../../operation/secrets/environment-variables.js';
import type { Tags } from '../../operation/tags/tags.js';
import { body, replies, repliesText, type Endpoint } from '../endpoint.js';
import { list, object, text } from '../form.js';
import { empty, json, text as answerText } from '../route.js';
import { tagListForm, tagRoutes } from '../tag-routes.js';
import { textOf } from './text-body.js';

const base = '/api/environment';
const target = (right: 'READ' | 'UPDATE' | 'DELETE') =>
  ({ rule: 'target', type: 'ENV_VARIABLE', right, id: 'key' }) as const;

export function environmentRoutes(variables: EnvironmentVariables, tags: Tags): Endpoint[] {
  return [
    {
      method: 'GET',
      pattern: base,
      name: 'listEnvironmentVariables',
      summary: 'Lists the environment variables that the caller may read.',
      access: { rule: 'each', type: 'ENV_VARIABLE', right: 'READ' },
      parameters: {},
      body: null,
      replies: replies(
        list(
          object('EnvironmentVariable', { name: text(), value: text(), tags: tagListForm }, [
            'name',
            'value',
            'tags',
          ]),
        ),
      ),
      errors: [],
      handle: ({ caller }) => json(variables.list(caller)),
    },
    {
      method: 'GET',
      pattern: `${base}/:key`,
      name: 'getEnvironmentVariable',
      summary: 'Shows the value of an environment variable.',
      access: target('READ'),
      parameters: {},
      body: null,
      replies: repliesText(text('The value')),
      errors: ['not-found'],
      handle: (request) => answerText(variables.value(request.param('key'))),
    },
    {
      method: 'PUT',
      pattern: `${base}/:key`,
      name: 'putEnvironmentVariable',
      summary: 'Creates or replaces an environment variable.',
      access: target('UPDATE'),
      parameters: {},
      body: body(text('The value: raw, or as a JSON string')),
      replies: replies(null),
      errors: [],
      handle: async (request) => {
        await variables.put(request.param('key'), textOf(request.text()));
        return empty();
      },
    },
    {
      method: 'DELETE',
      pattern: `${base}/:key`,
      name: 'deleteEnvironmentVariable',
      summary: 'Deletes an environment variable and answers the value that it had.',
      access: target('DELETE'),
      parameters: {},
      body: null,
      replies: repliesText(text('The value')),
      errors: ['not-found'],
      handle: async (request) => answerText(await variables.delete(request.param('key'))),
    },
    ...tagRoutes({
      tags,
      type: 'ENV_VARIABLE',
      resource: `${base}/:name`,
      noun: 'EnvironmentVariable',
      variables: ['name'],
    }),
  ];
}
