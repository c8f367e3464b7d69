// Endpoints of payloads that clients keep outside requests (contract-core 13.1): where one may be
// put or read, and the content itself where the store is a folder.
import {
  operations,
  payloadTypes,
  type ExternalPayloads,
  type UploadTarget,
} from './external-payloads.js';
import {
  body,
  endpoint,
  nothing,
  query,
  rawEndpoint,
  replies,
  shownOf,
  type Endpoint,
} from '../../api/endpoint.js';
import * as schema from '../../model/schema.js';
import type { RouteRequest } from '../../api/route.js';
import { text } from '../../model/field.js';
import { record } from '../../model/record.js';
import { downloadHeaders } from './downloads.js';
import { hostHeader, serverAddress, type AddressSettings } from './server-address.js';
import { signatureOf, signatureParameters } from './signature.js';

const location = record('ExternalStorageLocation', {
  path: text({ about: 'Key of the payload in the store', required: true }),
  uri: text({ about: 'Where to PUT or GET it; absent without a store' }),
});
const jsonType = 'application/json';

export function externalPayloadRoutes(
  payloads: ExternalPayloads,
  settings: AddressSettings,
): Endpoint[] {
  const located = (pattern: string, suffix: string): Endpoint =>
    locationRoute(payloads, settings, { pattern, suffix });
  return [
    located('/api/workflow/externalstoragelocation', 'Workflow'),
    located('/api/tasks/externalstoragelocation', 'Task'),
    located('/api/workflow/external-storage-location', 'WorkflowDashed'),
    located('/api/tasks/external-storage-location', 'TaskDashed'),
    endpoint({
      method: 'PUT',
      pattern: '/api/external-payload',
      name: 'putExternalPayload',
      summary: 'Stores a payload under the path of a signed URL, once.',
      access: { rule: 'public' },
      parameters: {
        path: query(schema.text('Of the payload'), { required: true }),
        by: query(schema.text('Whose bytes are counted')),
        ...signatureParameters,
      },
      body: body(schema.anything, true, jsonType),
      reply: nothing,
      errors: ['conflict', 'not-found', 'method-not-allowed', 'forbidden'],
      bodyBytesMax: settings.bodyBytesMax,
      admit: (request) => payloads.checkSigned(targetOf(request), signatureOf(request)),
      handle: (request) => payloads.upload(targetOf(request), request.bytes, signatureOf(request)),
    }),
    rawEndpoint({
      method: 'GET',
      pattern: '/api/external-payload',
      name: 'getExternalPayload',
      summary: 'Reads a payload by a signed URL.',
      access: { rule: 'public' },
      parameters: {
        path: query(schema.text('Of the payload'), { required: true }),
        ...signatureParameters,
      },
      replies: replies(schema.anything),
      errors: ['not-found', 'method-not-allowed', 'forbidden'],
      handle: async (request) => {
        const path = request.queryRequired('path');
        const content = await payloads.download(path, signatureOf(request));
        return { status: 200, contentType: jsonType, headers: downloadHeaders, body: content };
      },
    }),
  ];
}

function targetOf(request: RouteRequest): UploadTarget {
  return { path: request.queryRequired('path'), by: request.query('by') };
}

function locationRoute(
  payloads: ExternalPayloads,
  settings: AddressSettings,
  { pattern, suffix }: { pattern: string; suffix: string },
): Endpoint {
  return endpoint({
    method: 'GET',
    pattern,
    name: `getPayloadLocation${suffix}`,
    summary: 'Tells where a client may put or get a large payload.',
    access: { rule: 'caller' },
    parameters: {
      path: query(schema.text('To write: begin of the path; to read: the path'), {
        required: true,
      }),
      operation: query(schema.oneOf(operations, 'In any case'), { required: true }),
      payloadType: query(schema.oneOf(payloadTypes, 'In any case'), { required: true }),
      ...hostHeader,
    },
    reply: shownOf(location),
    handle: (request) =>
      payloads.location({
        caller: request.caller,
        path: request.queryRequired('path'),
        operation: request.queryRequired('operation'),
        payloadType: request.queryRequired('payloadType'),
        server: serverAddress(settings, request),
      }),
  });
}
