// Endpoints of files of executions (`/api/files`, contract-admin 18).
import type { ErrorKind } from '../../model/errors.js';
import type { JsonMap } from '../../model/json.js';
import { RecordReader } from '../../model/record-reader.js';
import type { FileRequest, Files } from '../../operation/storage/files.js';
import { body, replies, type AuditRule, type Endpoint, type Method } from '../endpoint.js';
import { changesExecutions, readsExecutions } from '../execution-access.js';
import * as form from '../form.js';
import { empty, json, type RouteRequest } from '../route.js';
import { downloadHeaders } from './downloads.js';
import { hostHeader, serverAddress, type AddressSettings } from './server-address.js';
import { signatureOf, signatureParameters } from './signature.js';

const handle = form.text('conductor://file/ and the id of the file');
const uploadStatus = form.oneOf(['UPLOADING', 'UPLOADED']);
const storageType = form.oneOf(['CONDUCTOR', 'S3']);
const moment = form.integer('Epoch ms');

const newFileForm = form.object(
  'FileUploadRequest',
  {
    workflowId: form.text('The execution that owns the file'),
    fileName: form.text(),
    contentType: form.text(),
    taskId: form.text(),
  },
  ['workflowId'],
);
const createdForm = form.object('FileUploadResponse', {
  fileHandleId: handle,
  fileName: form.text(),
  contentType: form.text(),
  storageType,
  uploadStatus,
  uploadUrl: form.text('Where to PUT the content'),
  uploadUrlExpiresAt: moment,
  createdAt: moment,
  workflowId: form.text(),
});
const fileForm = form.object('FileHandle', {
  fileHandleId: handle,
  fileName: form.text(),
  contentType: form.text(),
  fileSize: form.integer('Bytes'),
  contentHash: form.text('As the store makes it'),
  storageType,
  uploadStatus,
  workflowId: form.text('Its owner'),
  taskId: form.text(),
  createdAt: moment,
  updatedAt: moment,
});
const uploadUrlForm = form.object('FileUploadUrlResponse', {
  fileHandleId: handle,
  uploadUrl: form.text(),
  expiresAt: moment,
});
const downloadUrlForm = form.object('FileDownloadUrlResponse', {
  fileHandleId: handle,
  downloadUrl: form.text(),
  expiresAt: moment,
});
const completedForm = form.object('FileUploadCompleteResponse', {
  fileHandleId: handle,
  uploadStatus,
  contentHash: form.text(),
});
const partsForm = form.object('MultipartInitResponse', {
  fileHandleId: handle,
  uploadId: form.text(),
});
const tagsForm = form.object(
  'MultipartCompleteRequest',
  { partETags: form.list(form.text('Of each part, in order')) },
  ['partETags'],
);

const endingErrors: readonly ErrorKind[] = ['not-found', 'conflict'];

const ofFile = '/api/files/:workflowId/:fileId';

interface Entry {
  readonly method: Method;
  readonly pattern: string;
  readonly name: string;
  readonly summary: string;
  readonly audit?: AuditRule;
  readonly reply: form.Form;
  /** Only what ends an upload is refused for a file that is there already. */
  readonly errors?: readonly ErrorKind[];
  readonly answer: (asked: FileRequest, request: RouteRequest) => Promise<JsonMap>;
}

export function fileRoutes(files: Files, settings: AddressSettings): Endpoint[] {
  const entry = ({ reply, errors = ['not-found'], answer, ...about }: Entry): Endpoint => ({
    ...about,
    body: null,
    access: about.method === 'GET' ? readsExecutions : changesExecutions,
    parameters: hostHeader,
    replies: replies(reply),
    errors,
    handle: async (request) => json(await answer(fileOf(settings, request), request)),
  });
  const uploadId = (request: RouteRequest): string => request.param('uploadId');
  return [
    createRoute(files, settings),
    entry({
      ...{ method: 'GET', pattern: ofFile, name: 'getFile', reply: fileForm },
      summary: 'Shows the record of a file.',
      answer: (asked) => files.metadata(asked),
    }),
    entry({
      ...{ method: 'GET', pattern: `${ofFile}/upload-url`, name: 'getFileUploadUrl' },
      summary: 'Makes a new URL to put the content at.',
      reply: uploadUrlForm,
      answer: (asked) => files.uploadUrl(asked),
    }),
    entry({
      ...{ method: 'GET', pattern: `${ofFile}/download-url`, name: 'getFileDownloadUrl' },
      summary: 'Makes a URL to get the content from.',
      reply: downloadUrlForm,
      answer: (asked) => files.downloadUrl(asked),
    }),
    entry({
      ...{ method: 'POST', pattern: `${ofFile}/upload-complete`, name: 'completeFileUpload' },
      audit: 'persons',
      summary: 'Confirms that the content is there.',
      reply: completedForm,
      errors: endingErrors,
      answer: (asked) => files.completeUpload(asked),
    }),
    entry({
      ...{ method: 'POST', pattern: `${ofFile}/multipart`, name: 'startFileParts' },
      audit: 'persons',
      summary: 'Begins an upload in parts, where the store is S3.',
      reply: partsForm,
      answer: (asked) => files.startParts(asked),
    }),
    entry({
      method: 'GET',
      pattern: `${ofFile}/multipart/:uploadId/part/:partNumber`,
      name: 'getFilePartUrl',
      summary: 'Makes a URL to put a part at.',
      reply: uploadUrlForm,
      answer: (asked, request) =>
        files.partUrl(asked, uploadId(request), request.paramInteger('partNumber')),
    }),
    {
      ...entry({
        method: 'POST',
        pattern: `${ofFile}/multipart/:uploadId/complete`,
        name: 'completeFileParts',
        summary: 'Ends an upload in parts.',
        audit: 'persons',
        reply: completedForm,
        errors: endingErrors,
        answer: (asked, request) => {
          const reader = new RecordReader(request.jsonMap(), 'completeFileParts.arg0');
          return files.completeParts(asked, uploadId(request), reader.texts('partETags'));
        },
      }),
      body: body(tagsForm),
    },
    {
      method: 'DELETE',
      pattern: `${ofFile}/multipart/:uploadId`,
      name: 'abortFileParts',
      summary: 'Gives up an upload in parts.',
      access: changesExecutions,
      parameters: hostHeader,
      body: null,
      replies: { 204: { form: null } },
      errors: ['not-found'],
      handle: async (request) => {
        await files.abortParts(fileOf(settings, request), uploadId(request));
        return empty(204);
      },
    },
    ...contentRoutes(files, settings.bodyBytesMax),
  ];
}

function createRoute(files: Files, settings: AddressSettings): Endpoint {
  return {
    method: 'POST',
    pattern: '/api/files',
    name: 'createFile',
    summary: 'Makes the record of a file and a URL to put its content at.',
    access: changesExecutions,
    audit: 'persons',
    parameters: hostHeader,
    body: body(newFileForm),
    replies: { 201: { form: createdForm } },
    errors: ['not-found'],
    handle: async (request) => {
      const reader = new RecordReader(request.jsonMap(), 'createFile.arg0');
      const answer = await files.create({
        caller: request.caller,
        workflowId: reader.text('workflowId') ?? '',
        fileName: reader.text('fileName'),
        contentType: reader.text('contentType'),
        taskId: reader.text('taskId'),
        server: serverAddress(settings, request),
      });
      return { ...json(answer), status: 201 };
    },
  };
}

/** The bytes, where they pass through this server. */
function contentRoutes(files: Files, bodyBytesMax: number): Endpoint[] {
  const pattern = '/api/files/content/:workflowId/:fileId';
  const ids = (request: RouteRequest): { workflowId: string; fileId: string } => ({
    workflowId: request.param('workflowId'),
    fileId: request.param('fileId'),
  });
  const bytes = form.text('The content as it is');
  const anyBytes = 'application/octet-stream';
  return [
    {
      ...{ method: 'PUT', pattern, name: 'putFileContent' },
      summary: 'Takes the content of a file by a signed URL.',
      access: { rule: 'public' },
      parameters: signatureParameters,
      body: body(bytes, false, anyBytes),
      replies: { 204: { form: null } },
      errors: ['not-found', 'conflict', 'forbidden', 'method-not-allowed'],
      bodyBytesMax,
      admit: (request) => files.checkSigned(ids(request), 'upload', signatureOf(request)),
      handle: async (request) => {
        await files.upload(ids(request), request.bytes, signatureOf(request));
        return empty(204);
      },
    },
    {
      ...{ method: 'GET', pattern, name: 'getFileContent' },
      summary: 'Gives the content of a file by a signed URL.',
      access: { rule: 'public' },
      parameters: signatureParameters,
      body: null,
      replies: {
        200: {
          form: bytes,
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
    },
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
