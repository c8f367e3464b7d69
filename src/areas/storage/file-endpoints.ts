// Endpoints of files of executions (`/api/files`, contract-admin 18).
import {
  body,
  endpoint,
  nothing,
  rawEndpoint,
  shownOf,
  type AuditRule,
  type Endpoint,
  type Intake,
  type Method,
} from '../../api/endpoint.js';
import type { RecordShape } from '../../model/schema.js';
import { changesExecutions, readsExecutions } from '../../api/execution-access.js';
import * as schema from '../../model/schema.js';
import type { RouteRequest } from '../../api/route.js';
import type { ErrorKind } from '../../model/errors.js';
import { downloadHeaders } from './downloads.js';
import {
  completedFile,
  createdFile,
  fileDownloadUrl,
  fileUploadUrl,
  newFile,
  partTags,
  shownFile,
  startedParts,
} from './file-schemas.js';
import type { FileRequest, Files } from './files.js';
import { hostHeader, serverAddress, type AddressSettings } from './server-address.js';
import { signatureOf, signatureParameters } from './signature.js';

const endingErrors: readonly ErrorKind[] = ['not-found', 'conflict'];

const ofFile = '/api/files/:workflowId/:fileId';

interface Entry<R, B> {
  readonly method: Method;
  readonly pattern: string;
  readonly name: string;
  readonly summary: string;
  readonly audit?: AuditRule;
  readonly reply: RecordShape<R>;
  readonly body?: Intake<B>;
  /** Only what ends an upload is refused for a file that is there already. */
  readonly errors?: readonly ErrorKind[];
  readonly answer: (asked: FileRequest, request: RouteRequest, body: B) => Promise<R>;
}

/** `name`: of the endpoint, by which refusals name what is sent. */
function sentTo<B>(name: string, shape: RecordShape<B>): Intake<B> {
  return {
    schema: shape.schema,
    isRequired: true,
    of: (request) => shape.parse(request.jsonMap(), `${name}.arg0`),
  };
}

export function fileRoutes(files: Files, settings: AddressSettings): Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      pattern: '/api/files',
      name: 'createFile',
      summary: 'Makes the record of a file and a URL to put its content at.',
      access: changesExecutions,
      audit: 'persons',
      parameters: hostHeader,
      body: sentTo('createFile', newFile),
      reply: shownOf(createdFile),
      status: 201,
      errors: ['not-found'],
      handle: (request, file) =>
        files.create(request.caller, file, serverAddress(settings, request)),
    }),
    ...oneFileRoutes(files, settings),
    ...contentRoutes(files, settings.bodyBytesMax),
  ];
}

function oneFileRoutes(files: Files, settings: AddressSettings): Endpoint[] {
  const uploadId = (request: RouteRequest): string => request.param('uploadId');
  const entry = <R, B = undefined>(declared: Entry<R, B>): Endpoint => {
    const { reply, errors = ['not-found'], answer, ...about } = declared;
    return endpoint<R, B>({
      ...about,
      access: about.method === 'GET' ? readsExecutions : changesExecutions,
      parameters: hostHeader,
      reply: shownOf(reply),
      errors,
      handle: (request, sent) => answer(fileOf(settings, request), request, sent),
    });
  };
  return [
    entry({
      ...{ method: 'GET', pattern: ofFile, name: 'getFile', reply: shownFile },
      summary: 'Shows the record of a file.',
      answer: (asked) => files.metadata(asked),
    }),
    entry({
      ...{ method: 'GET', pattern: `${ofFile}/upload-url`, name: 'getFileUploadUrl' },
      summary: 'Makes a new URL to put the content at.',
      reply: fileUploadUrl,
      answer: (asked) => files.uploadUrl(asked),
    }),
    entry({
      ...{ method: 'GET', pattern: `${ofFile}/download-url`, name: 'getFileDownloadUrl' },
      summary: 'Makes a URL to get the content from.',
      reply: fileDownloadUrl,
      answer: (asked) => files.downloadUrl(asked),
    }),
    entry({
      ...{ method: 'POST', pattern: `${ofFile}/upload-complete`, name: 'completeFileUpload' },
      audit: 'persons',
      summary: 'Confirms that the content is there.',
      reply: completedFile,
      errors: endingErrors,
      answer: (asked) => files.completeUpload(asked),
    }),
    entry({
      ...{ method: 'POST', pattern: `${ofFile}/multipart`, name: 'startFileParts' },
      audit: 'persons',
      summary: 'Begins an upload in parts, where the store is S3.',
      reply: startedParts,
      answer: (asked) => files.startParts(asked),
    }),
    entry({
      method: 'GET',
      pattern: `${ofFile}/multipart/:uploadId/part/:partNumber`,
      name: 'getFilePartUrl',
      summary: 'Makes a URL to put a part at.',
      reply: fileUploadUrl,
      answer: (asked, request) =>
        files.partUrl(asked, uploadId(request), request.paramInteger('partNumber')),
    }),
    entry({
      method: 'POST',
      pattern: `${ofFile}/multipart/:uploadId/complete`,
      name: 'completeFileParts',
      summary: 'Ends an upload in parts.',
      audit: 'persons',
      body: sentTo('completeFileParts', partTags),
      reply: completedFile,
      errors: endingErrors,
      answer: (asked, request, { partETags }) =>
        files.completeParts(asked, uploadId(request), partETags),
    }),
    endpoint({
      method: 'DELETE',
      pattern: `${ofFile}/multipart/:uploadId`,
      name: 'abortFileParts',
      summary: 'Gives up an upload in parts.',
      access: changesExecutions,
      parameters: hostHeader,
      reply: nothing,
      status: 204,
      errors: ['not-found'],
      handle: (request) => files.abortParts(fileOf(settings, request), uploadId(request)),
    }),
  ];
}

/** The bytes, where they pass through this server. */
function contentRoutes(files: Files, bodyBytesMax: number): Endpoint[] {
  const pattern = '/api/files/content/:workflowId/:fileId';
  const ids = (request: RouteRequest): { workflowId: string; fileId: string } => ({
    workflowId: request.param('workflowId'),
    fileId: request.param('fileId'),
  });
  const bytes = schema.text('The content as it is');
  const anyBytes = 'application/octet-stream';
  return [
    endpoint({
      ...{ method: 'PUT', pattern, name: 'putFileContent' },
      summary: 'Takes the content of a file by a signed URL.',
      access: { rule: 'public' },
      parameters: signatureParameters,
      body: body(bytes, false, anyBytes),
      reply: nothing,
      status: 204,
      errors: ['not-found', 'conflict', 'forbidden', 'method-not-allowed'],
      bodyBytesMax,
      admit: (request) => files.checkSigned(ids(request), 'upload', signatureOf(request)),
      handle: (request) => files.upload(ids(request), request.bytes, signatureOf(request)),
    }),
    rawEndpoint({
      ...{ method: 'GET', pattern, name: 'getFileContent' },
      summary: 'Gives the content of a file by a signed URL.',
      access: { rule: 'public' },
      parameters: signatureParameters,
      replies: {
        200: {
          schema: bytes,
          contentType: '*/*',
          description: 'Of the type of the file',
          headers: { 'Content-Disposition': 'It is to be saved, not shown' },
        },
      },
      errors: ['not-found', 'forbidden', 'method-not-allowed'],
      handle: async (request) => {
        const { content, contentType } = await files.download(ids(request), signatureOf(request));
        return { status: 200, contentType, headers: downloadHeaders, body: content };
      },
    }),
  ];
}

function fileOf(settings: AddressSettings, request: RouteRequest): FileRequest {
  return {
    caller: request.caller,
    workflowId: request.param('workflowId'),
    fileId: request.param('fileId'),
    server: serverAddress(settings, request),
  };
}
