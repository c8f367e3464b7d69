// Routes of remote services (contract-admin 15.4).
import {
  endpoint,
  listOf,
  nothing,
  one,
  orNothing,
  query,
  rawEndpoint,
  shownOf,
  type AccessRule,
  type DeclaredBody,
  type Endpoint,
  type DeclaredReply,
} from '../../api/endpoint.js';
import { flag, text } from '../../model/schema.js';
import { text as textField } from '../../model/field.js';
import { record } from '../../model/record.js';
import { checkName } from '../../model/registry/fields.js';
import { breakerStatus, type CircuitBreakers } from './circuit-breakers.js';
import { method, remoteService, type ServiceMethod, type ShownService } from './remote-service.js';
import type { RemoteServices } from './remote-services.js';

const base = '/api/registry/service';
const binary = 'application/octet-stream';

type Rights = Extract<AccessRule, { rule: 'target' }>['right'];

const may = (right: Rights): AccessRule => ({
  rule: 'target',
  type: 'SERVICE_REGISTRY',
  right,
  id: 'name',
});
const each = (right: Rights): AccessRule => ({ rule: 'each', type: 'SERVICE_REGISTRY', right });
const shown = one<ShownService>(remoteService.shown);

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
    endpoint({
      method: 'GET',
      pattern: base,
      name: 'listRemoteServices',
      summary: 'Lists remote services, by name.',
      access: each('READ'),
      reply: listOf<ShownService>(remoteService.shown),
      lists: services.listed,
      handle: ({ caller }) => services.list(caller).map((service) => services.shown(service)),
    }),
    endpoint({
      method: 'POST',
      pattern: base,
      name: 'saveRemoteService',
      summary: 'Creates a remote service, or replaces what the body says of it.',
      access: each('CREATE'),
      body: remoteService.request,
      reply: nothing,
      errors: ['conflict'],
      handle: async (request, fields) => {
        request.noteObject(fields.name);
        await services.save(request.caller, fields);
      },
    }),
    endpoint({
      method: 'GET',
      pattern: `${base}/:name`,
      name: 'getRemoteService',
      summary: 'Shows a remote service; no body when there is none.',
      access: may('READ'),
      reply: orNothing(shown),
      handle: (request) => {
        const service = services.find(request.param('name'));
        return service && services.shown(service);
      },
    }),
    endpoint({
      method: 'DELETE',
      pattern: `${base}/:name`,
      name: 'deleteRemoteService',
      summary: 'Deletes a remote service with its proto files; nothing happens when there is none.',
      access: may('DELETE'),
      reply: nothing,
      handle: (request) => services.delete(request.param('name')),
    }),
    endpoint({
      method: 'POST',
      pattern: `${base}/:name/clone`,
      name: 'cloneRemoteService',
      summary: 'Copies a remote service under a new name.',
      access: may('READ'),
      parameters: { newName: query(text(), { required: true }) },
      reply: shown,
      errors: ['not-found', 'conflict'],
      handle: async (request) => {
        const newName = checkName(request.queryRequired('newName'), 'newName');
        request.noteObject(newName);
        const copy = await services.clone(request.caller, request.param('name'), newName);
        return services.shown(copy);
      },
    }),
  ];
}

function methodEndpoints(services: RemoteServices): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      pattern: `${base}/:name/discover`,
      name: 'discoverServiceMethods',
      summary: 'Reads the methods of a service from its OpenAPI description or proto files.',
      access: may('READ'),
      audit: 'changes',
      parameters: { create: query(flag('Store methods and servers', { default: false })) },
      reply: listOf<ServiceMethod>(method),
      errors: ['not-found'],
      handle: (request) => {
        const create = request.queryBoolean('create');
        return services.discover(request.caller, request.param('name'), create);
      },
    }),
    endpoint({
      method: 'POST',
      pattern: `${base}/:name/methods`,
      name: 'saveServiceMethod',
      summary: 'Adds a method to a service, or replaces it.',
      access: may('UPDATE'),
      body: method,
      reply: nothing,
      errors: ['not-found'],
      handle: (request, sent) =>
        services.saveMethods(request.caller, request.param('name'), [sent]),
    }),
    endpoint({
      method: 'DELETE',
      pattern: `${base}/:name/methods`,
      name: 'deleteServiceMethod',
      summary: 'Removes a method of a service; nothing happens when nothing matches.',
      access: may('UPDATE'),
      parameters: {
        serviceName: query(text('Name of the operation'), { required: true }),
        method: query(text('Name of the method, as its path'), { required: true }),
        methodType: query(text(), { required: true }),
      },
      reply: nothing,
      handle: (request) =>
        services.removeMethod(request.caller, request.param('name'), {
          serviceName: request.queryRequired('serviceName'),
          method: request.queryRequired('method'),
          methodType: request.queryRequired('methodType'),
        }),
    }),
  ];
}

function breakerEndpoints(breakers: CircuitBreakers): Endpoint[] {
  const change = (verb: 'open' | 'close'): Endpoint =>
    endpoint({
      method: 'POST',
      pattern: `${base}/:name/circuit-breaker/${verb}`,
      name: `${verb}CircuitBreaker`,
      summary: `Carries out ${verb} on the circuit breaker of a service that has been called.`,
      access: may('UPDATE'),
      reply: shownOf(breakerStatus),
      errors: ['not-found'],
      handle: (request) => breakers.set(request.param('name'), verb === 'open' ? 'OPEN' : 'CLOSED'),
    });
  return [
    endpoint({
      method: 'GET',
      pattern: `${base}/:name/circuit-breaker/status`,
      name: 'getCircuitBreaker',
      summary: 'Shows the state of the circuit breaker of a service.',
      access: may('READ'),
      reply: shownOf(breakerStatus),
      handle: (request) => breakers.status(request.param('name')),
    }),
    change('open'),
    change('close'),
  ];
}

const bytesBody: DeclaredBody = {
  schema: text('Bytes', { format: 'binary' }),
  required: true,
  contentType: binary,
};
const bytesReply: Readonly<Record<number, DeclaredReply>> = {
  200: { schema: text('Bytes', { format: 'binary' }), contentType: binary },
};

const shownProto = record('ProtoRegistryEntry', {
  serviceName: textField({ required: true }),
  filename: textField({ required: true }),
  data: textField({ about: 'Base64', required: true }),
});

function protoEndpoints(services: RemoteServices): Endpoint[] {
  const pattern = `${base}/protos/:name/:filename`;
  return [
    endpoint({
      method: 'GET',
      pattern: `${base}/protos/:name`,
      name: 'listProtoFiles',
      summary: 'Lists the proto files of a service.',
      access: may('READ'),
      reply: listOf(shownProto),
      handle: (request) =>
        services
          .protos(request.param('name'))
          .map(({ service: serviceName, filename, content: data }) => ({
            ...{ serviceName, filename, data },
          })),
    }),
    endpoint({
      method: 'POST',
      pattern,
      name: 'saveProtoFile',
      summary: 'Stores a proto file of a service.',
      access: may('UPDATE'),
      body: bytesBody,
      reply: nothing,
      errors: ['not-found', 'conflict'],
      handle: async (request) => {
        const filename = checkName(request.param('filename'), 'filename');
        const content = request.bytes;
        await services.saveProto(request.caller, request.param('name'), { filename, content });
      },
    }),
    rawEndpoint({
      method: 'GET',
      pattern,
      name: 'getProtoFile',
      summary: 'Answers with the content of a proto file.',
      access: may('READ'),
      replies: bytesReply,
      errors: ['not-found'],
      handle: (request) => {
        const content = services.proto(request.param('name'), request.param('filename'));
        return { status: 200, contentType: binary, body: content };
      },
    }),
    endpoint({
      method: 'DELETE',
      pattern,
      name: 'deleteProtoFile',
      summary: 'Deletes a proto file; nothing happens when there is none.',
      access: may('UPDATE'),
      reply: nothing,
      handle: (request) => services.deleteProto(request.param('name'), request.param('filename')),
    }),
  ];
}
