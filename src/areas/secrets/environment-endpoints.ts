// Endpoints of environment variables (contract-admin 8.2). Tags stand by name, whether or not there
// is a variable of the name.
import { endpoint, listOf, nothing, plainText, type Endpoint } from '../../api/endpoint.js';
import { tagRoutes } from '../../api/tag-routes.js';
import type { Tags } from '../../operation/tags/tags.js';
import {
  variable,
  type EnvironmentVariables,
  type ShownVariable,
} from './environment-variables.js';
import { listedResource } from '../resource.js';
import { sentText } from './sent-value.js';

const base = '/api/environment';
const target = (right: 'READ' | 'UPDATE' | 'DELETE') =>
  ({ rule: 'target', type: 'ENV_VARIABLE', right, id: 'key' }) as const;

export function environmentRoutes(variables: EnvironmentVariables, tags: Tags): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      pattern: base,
      name: 'listEnvironmentVariables',
      summary: 'Lists the environment variables that the caller may read.',
      access: { rule: 'each', type: 'ENV_VARIABLE', right: 'READ' },
      reply: listOf<ShownVariable>(variable.shown),
      lists: {
        ...listedResource({
          ...{ called: 'Variable', noun: variable },
          about: 'Definitions refer to them as ${workflow.env.NAME}.',
        }),
        key: ['name'],
      },
      handle: ({ caller }) => variables.list(caller),
    }),
    endpoint({
      method: 'GET',
      pattern: `${base}/:key`,
      name: 'getEnvironmentVariable',
      summary: 'Shows the value of an environment variable.',
      access: target('READ'),
      reply: plainText('The value'),
      errors: ['not-found'],
      handle: (request) => variables.value(request.param('key')),
    }),
    endpoint({
      method: 'PUT',
      pattern: `${base}/:key`,
      name: 'putEnvironmentVariable',
      summary: 'Creates or replaces an environment variable.',
      access: target('UPDATE'),
      body: sentText,
      reply: nothing,
      handle: (request, value) => variables.put(request.param('key'), value),
    }),
    endpoint({
      method: 'DELETE',
      pattern: `${base}/:key`,
      name: 'deleteEnvironmentVariable',
      summary: 'Deletes an environment variable and answers the value that it had.',
      access: target('DELETE'),
      reply: plainText('The value'),
      errors: ['not-found'],
      handle: (request) => variables.delete(request.param('key')),
    }),
    ...tagRoutes({
      tags,
      type: 'ENV_VARIABLE',
      resource: `${base}/:name`,
      noun: 'EnvironmentVariable',
      variables: ['name'],
    }),
  ];
}
