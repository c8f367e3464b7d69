// Routes of remote services (contract-admin 15.4).
import { checkName } from '../../model/registry/fields.js';
import { parseMethod, parseService } from './remote-service.js';
import type { CircuitBreakers } from './circuit-breakers.js';
import type { RemoteServices } from './remote-services.js';
import {
  body,
  query,
  replies,
  type AccessRule,
  type BodyForm,
  type Endpoint,
  type ReplyForm,
} from '../../api/endpoint.js';
import { flag, list, text } from '../../api/form.js';
import { empty, json } from '../../api/route.js';
import { breakerStateForm, methodForm, protoForm, serviceForm } from './forms.js';

const base = '/api/registry/service';
const binary = 'application/octet-stream';

type Rights = Extract<AccessRule, { rule: 'target' }>['right'];

const may = (right: Rights, id: string): AccessRule => ({
  rule: 'target',
  type: 'SERVICE_REGISTRY',
  right,
  id,
});
const each = (right: Rights): AccessRule => ({ rule: 'each', type: 'SERVICE_REGISTRY', right });

export function remoteServiceRoutes(
  services: RemoteServices,
  breakers: CircuitBreakers,
): Endpoint[] {
  return [
    ...serviceEndpoints(services),
    ...methodEndpoints(services),
    ...breakerEndpoints(breakers),
    ...protoEndpoints(services),
  ];
}

function serviceEndpoints(services: RemoteServices): Endpoint[] {
  return [
    {
      method: 'GET',
      pattern: base,
      name: 'listRemoteServices',
      summary: 'Lists remote services, by name.',
      access: each('READ'),
      parameters: {},
      body: null,
      replies: replies(list(serviceForm)),
      errors: [],
      handle: (request) =>
        json(services.list(request.caller).map((service) => services.shown(service))),
    },
    {
      method: 'POST',
      pattern: base,
      name: 'saveRemoteService',
      summary: 'Creates a remote service, or replaces what the body says of it.',
      access: each('CREATE'),
      parameters: {},
      body: body(serviceForm),
      replies: replies(null),
      errors: ['conflict'],
      handle: async (request) => {
        await services.save(request.caller, parseService(request.json()));
        return empty();
      },
    },
    {
      method: 'GET',
      pattern: `${base}/:name`,
      name: 'getRemoteService',
      summary: 'Shows a remote service; no body when there is none.',
      access: may('READ', 'name'),
      parameters: {},
      body: null,
      replies: { 200: { form: serviceForm, description: 'No body when there is none' } },
      errors: [],
      handle: (request) => {
        const service = services.find(request.param('name'));
        return service === undefined ? empty() : json(services.shown(service));
      },
    },
    {
      method: 'DELETE',
      pattern: `${base}/:name`,
      name: 'deleteRemoteService',
      summary: 'Deletes a remote service with its proto files; nothing happens when there is none.',
      access: may('DELETE', 'name'),
      parameters: {},
      body: null,
      replies: replies(null),
      errors: [],
      handle: async (request) => {
        await services.delete(request.param('name'));
        return empty();
      },
    },
    {
      method: 'POST',
      pattern: `${base}/:name/clone`,
      name: 'cloneRemoteService',
      summary: 'Copies a remote service under a new name.',
      access: may('READ', 'name'),
      parameters: { newName: query(text(), { required: true }) },
      body: null,
      replies: replies(serviceForm),
      errors: ['not-found', 'conflict'],
      handle: async (request) => {
        const newName = checkName(request.queryRequired('newName'), 'newName');
        const copy = await services.clone(request.caller, request.param('name'), newName);
        return json(services.shown(copy));
      },
    },
  ];
}

function methodEndpoints(services: RemoteServices): Endpoint[] {
  return [
    {
      method: 'GET',
      pattern: `${base}/:name/discover`,
      name: 'discoverServiceMethods',
      summary: 'Reads the methods of a service from its OpenAPI description or proto files.',
      access: may('READ', 'name'),
      audit: 'changes',
      parameters: { create: query(flag('Store methods and servers', { default: false })) },
      body: null,
      replies: replies(list(methodForm)),
      errors: ['not-found'],
      handle: async (request) => {
        const create = request.queryBoolean('create', false);
        return json([...(await services.discover(request.caller, request.param('name'), create))]);
      },
    },
    {
      method: 'POST',
      pattern: `${base}/:name/methods`,
      name: 'saveServiceMethod',
      summary: 'Adds a method to a service, or replaces it.',
      access: may('UPDATE', 'name'),
      parameters: {},
      body: body(methodForm),
      replies: replies(null),
      errors: ['not-found'],
      handle: async (request) => {
        await services.saveMethods(request.param('name'), [parseMethod(request.json(), '')]);
        return empty();
      },
    },
    {
      method: 'DELETE',
      pattern: `${base}/:name/methods`,
      name: 'deleteServiceMethod',
      summary: 'Removes a method of a service; nothing happens when nothing matches.',
      access: may('UPDATE', 'name'),
      parameters: {
        serviceName: query(text('Name of the operation'), { required: true }),
        method: query(text('Name of the method, as its path'), { required: true }),
        methodType: query(text(), { required: true }),
      },
      body: null,
      replies: replies(null),
      errors: [],
      handle: async (request) => {
        await services.removeMethod(request.param('name'), {
          serviceName: request.queryRequired('serviceName'),
          method: request.queryRequired('method'),
          methodType: request.queryRequired('methodType'),
        });
        return empty();
      },
    },
  ];
}

function breakerEndpoints(breakers: CircuitBreakers): Endpoint[] {
  const change = (verb: 'open' | 'close'): Endpoint => ({
    method: 'POST',
    pattern: `${base}/:name/circuit-breaker/${verb}`,
    name: `${verb}CircuitBreaker`,
    summary: `Carries out ${verb} on the circuit breaker of a service that has been called.`,
    access: may('UPDATE', 'name'),
    parameters: {},
    body: null,
    replies: replies(breakerStateForm),
    errors: ['not-found'],
    handle: async (request) => {
      const state = verb === 'open' ? 'OPEN' : 'CLOSED';
      return json({ ...(await breakers.set(request.param('name'), state)) });
    },
  });
  return [
    {
      method: 'GET',
      pattern: `${base}/:name/circuit-breaker/status`,
      name: 'getCircuitBreaker',
      summary: 'Shows the state of the circuit breaker of a service.',
      access: may('READ', 'name'),
      parameters: {},
      body: null,
      replies: replies(breakerStateForm),
      errors: [],
      handle: (request) => json({ ...breakers.status(request.param('name')) }),
    },
    change('open'),
    change('close'),
  ];
}

const bytesBody: BodyForm = {
  form: text('Bytes', { format: 'binary' }),
  required: true,
  contentType: binary,
};
const bytesReply: Readonly<Record<number, ReplyForm>> = {
  200: { form: text('Bytes', { format: 'binary' }), contentType: binary },
};

function protoEndpoints(services: RemoteServices): Endpoint[] {
  const pattern = `${base}/protos/:name/:filename`;
  return [
    {
      method: 'GET',
      pattern: `${base}/protos/:name`,
      name: 'listProtoFiles',
      summary: 'Lists the proto files of a service.',
      access: may('READ', 'name'),
      parameters: {},
      body: null,
      replies: replies(list(protoForm)),
      errors: [],
      handle: (request) => {
        const protos = services.protos(request.param('name'));
        return json(
          protos.map(({ service: serviceName, filename, content: data }) => ({
            ...{ serviceName, filename, data },
          })),
        );
      },
    },
    {
      method: 'POST',
      pattern,
      name: 'saveProtoFile',
      summary: 'Stores a proto file of a service.',
      access: may('UPDATE', 'name'),
      parameters: {},
      body: bytesBody,
      replies: replies(null),
      errors: ['not-found', 'conflict'],
      handle: async (request) => {
        const filename = checkName(request.param('filename'), 'filename');
        await services.saveProto(request.param('name'), filename, request.bytes);
        return empty();
      },
    },
    {
      method: 'GET',
      pattern,
      name: 'getProtoFile',
      summary: 'Answers with the content of a proto file.',
      access: may('READ', 'name'),
      parameters: {},
      body: null,
      replies: bytesReply,
      errors: ['not-found'],
      handle: (request) => {
        const content = services.proto(request.param('name'), request.param('filename'));
        return { status: 200, contentType: binary, body: content };
      },
    },
    {
      method: 'DELETE',
      pattern,
      name: 'deleteProtoFile',
      summary: 'Deletes a proto file; nothing happens when there is none.',
      access: may('UPDATE', 'name'),
      parameters: {},
      body: null,
      replies: replies(null),
      errors: [],
      handle: async (request) => {
        await services.deleteProto(request.param('name'), request.param('filename'));
        return empty();
      },
    },
  ];
}
