// Records of files on the wire (contract-admin 18): what callers send and are shown.
import { list as listSchema, text as textSchema } from '../../model/schema.js';
import { choice, custom, integer, text } from '../../model/field.js';
import { record, type Values } from '../../model/record.js';
import { parseTexts } from '../../model/record-reader.js';

const fileHandleId = text({ about: 'conductor://file/ and the id of the file' });
const uploadStatus = choice(['UPLOADING', 'UPLOADED']);
const storageType = choice(['CONDUCTOR', 'S3']);
const moment = integer({ about: 'Epoch ms' });

/** An absent id is refused as an empty one is (files.ts). */
export const newFile = record('FileUploadRequest', {
  workflowId: text({ about: 'The execution that owns the file', required: true, default: '' }),
  fileName: text(),
  contentType: text(),
  taskId: text(),
});
export const partTags = record('MultipartCompleteRequest', {
  partETags: custom(listSchema(textSchema('Of each part, in order')), parseTexts, {
    required: true,
    default: [] as string[],
  }),
});

const created = {
  fileHandleId,
  fileName: text(),
  contentType: text(),
  storageType,
  uploadStatus,
  uploadUrl: text({ about: 'Where to PUT the content' }),
  uploadUrlExpiresAt: moment,
  createdAt: moment,
  workflowId: text(),
};
const shown = {
  fileHandleId,
  fileName: text(),
  contentType: text(),
  fileSize: integer({ about: 'Bytes' }),
  contentHash: text({ about: 'As the store makes it' }),
  storageType,
  uploadStatus,
  workflowId: text({ about: 'Its owner' }),
  taskId: text(),
  createdAt: moment,
  updatedAt: moment,
};
const uploadUrl = { fileHandleId, uploadUrl: text(), expiresAt: moment };
const downloadUrl = { fileHandleId, downloadUrl: text(), expiresAt: moment };
const completed = { fileHandleId, uploadStatus, contentHash: text() };
const parts = { fileHandleId, uploadId: text() };

export type NewFile = ReturnType<typeof newFile.parse>;
export type CreatedFile = Values<typeof created>;
export type ShownFile = Values<typeof shown>;
export type UploadUrl = Values<typeof uploadUrl>;
export type DownloadUrl = Values<typeof downloadUrl>;
export type CompletedFile = Values<typeof completed>;
export type StartedParts = Values<typeof parts>;

export const createdFile = record('FileUploadResponse', created);
export const shownFile = record('FileHandle', shown);
export const fileUploadUrl = record('FileUploadUrlResponse', uploadUrl);
export const fileDownloadUrl = record('FileDownloadUrlResponse', downloadUrl);
export const completedFile = record('FileUploadCompleteResponse', completed);
export const startedParts = record('MultipartInitResponse', parts);
