// Objects outside Redis: large payloads, files of executions, archived executions. Keys are texts
// with `/` between their segments; a segment holds letters, digits and `._-`, and does not begin
// with a dot (`isObjectKey`).

export interface ObjectFacts {
  readonly bytes: number;
  /** Hash of the content as the store makes it: SHA-256 of a folder, ETag of S3. */
  readonly hash: string;
}

/** Gives clients direct access to objects, by URLs that are signed for a time. */
export interface DirectAccess {
  /** `seconds` from now. */
  url(method: 'GET' | 'PUT', key: string, seconds: number): Promise<string>;
  /** Begins an upload in parts; resolves with its id. */
  startParts(key: string): Promise<string>;
  partUrl(key: string, uploadId: string, part: number, seconds: number): Promise<string>;
  /** `tags` of the parts in order. Rejects with ObjectRefusal for parts that do not fit. */
  completeParts(key: string, uploadId: string, tags: readonly string[]): Promise<void>;
  abortParts(key: string, uploadId: string): Promise<void>;
}

export interface ObjectStore {
  readonly kind: 'folder' | 's3';
  /** Absent: bytes pass through this server. */
  readonly direct?: DirectAccess;
  /** Resolves when the object is durable; one that was there is replaced. */
  put(key: string, content: Buffer, contentType: string): Promise<void>;
  /** undefined when there is none. */
  get(key: string): Promise<Buffer | undefined>;
  /** undefined when there is none. */
  facts(key: string): Promise<ObjectFacts | undefined>;
  /** Also when there is none. */
  remove(key: string): Promise<void>;
}

/** The store refuses what a client asked for; the message is fit to be shown. */
export class ObjectRefusal extends Error {}

const segment = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,254}$/;
const keyCharsMax = 900;

/** Whether a text can be a key. */
export function isObjectKey(key: string): boolean {
  return key.length <= keyCharsMax && key.split('/').every((each) => segment.test(each));
}
