// Content types of files of executions. Callers may name any; one that is sent with the content is
// from the list below, because a browser makes more of a type than of bytes.
import { wrongField } from './errors.js';

const anyBytes = 'application/octet-stream';
const charsMax = 200;
/** RFC 9110 section 8.3.1; parameters in their plain form. */
const mediaType =
  /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;\s*[\w!#$&^.+-]+=(?:[\w!#$&^.+-]+|"[\w !#$&^.+,:;=/-]*"))*$/;

/** Types that no browser runs or renders with scripts. */
const servedTypes: ReadonlySet<string> = new Set([
  'application/gzip',
  'application/json',
  'application/msword',
  'application/pdf',
  'application/vnd.ms-excel',
  'application/vnd.ms-powerpoint',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'application/x-ndjson',
  'application/x-tar',
  'application/zip',
  'audio/mpeg',
  'audio/ogg',
  'audio/wav',
  'image/gif',
  'image/jpeg',
  'image/png',
  'image/tiff',
  'image/webp',
  'text/csv',
  'text/markdown',
  'text/plain',
  'text/tab-separated-values',
  'video/mp4',
  'video/mpeg',
  'video/webm',
]);

/** Throws AppError 'bad-request' that names `field` when `type` is no media type. */
export function checkContentType(type: string | undefined, field: string): void {
  if (type === undefined || type === '' || (type.length <= charsMax && mediaType.test(type)))
    return;
  throw wrongField(
    field,
    `must be a media type such as text/csv, of ${charsMax} characters at most`,
  );
}

/** The type that content is sent with: its own without parameters, or that of plain bytes. */
export function servedType(type: string | undefined): string {
  const plain = type?.split(';', 1)[0]?.trim().toLowerCase() ?? anyBytes;
  return servedTypes.has(plain) ? plain : anyBytes;
}
