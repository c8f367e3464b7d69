// Large payloads that clients keep outside requests (contract-core 13): a client asks for a
// location, puts the JSON there, and names its path in a start or a result; the server reads it
// from there. Paths are made here, an object is written once, and only what was written under such
// a path is read (invariants S13).
import { createHash } from 'node:crypto';
import type { RequestRates } from '../../std/request-rates.js';
import type { Caller } from '../../model/caller.js';
import { AppError, wrongField } from '../../model/errors.js';
import type { JsonMap } from '../../model/json.js';
import { parseJson } from '../../model/json-text.js';
import type { Clock } from '../../std/clock.js';
import type { PayloadSource } from '../../operation/context.js';
import { isObjectKey, type ObjectStore } from '../../store/object-store.js';
import type { GivenSignature, SignedUrls } from './signed-urls.js';

export const operations = ['READ', 'WRITE'];
export const payloadTypes = ['WORKFLOW_INPUT', 'WORKFLOW_OUTPUT', 'TASK_INPUT', 'TASK_OUTPUT'];
const jsonType = 'application/json';

export interface LocationRequest {
  readonly caller: Caller;
  readonly path: string;
  readonly operation: string;
  readonly payloadType: string;
  /** Where the client reaches this server, such as `http://host:8080`. */
  readonly server: string;
}

export interface ExternalPayloadParts {
  /** Absent: there is no store, and locations have no URL. */
  readonly objects: ObjectStore | undefined;
  readonly urls: SignedUrls;
  readonly randomId: () => string;
  readonly bytesMax: number;
  /** Bytes that callers without roles may store, by who they are; undefined: any. */
  readonly quota: RequestRates | undefined;
  readonly clock: Clock;
}

/** Where a signed URL leads, and for whom it was made. */
export interface UploadTarget {
  readonly path: string;
  /** The caller in the URL whose bytes are counted; undefined: they are not. */
  readonly by: string | undefined;
}

export class ExternalPayloads implements PayloadSource {
  constructor(private readonly parts: ExternalPayloadParts) {}

  /**
   * Throws AppError 'bad-request' for an unknown operation or payload type, and for a bad path,
   * 'too-many' for a caller who has stored too much.
   */
  async location(request: LocationRequest): Promise<{ path: string; uri?: string }> {
    const { operation, payloadType, server } = request;
    const isWrite = operation.toUpperCase() === 'WRITE';
    if (
      !operations.includes(operation.toUpperCase()) ||
      !payloadTypes.includes(payloadType.toUpperCase())
    ) {
      const message = `Invalid input - Operation: ${operation}, PayloadType: ${payloadType}`;
      throw new AppError('bad-request', message);
    }
    const { objects, urls, randomId } = this.parts;
    const path = isWrite ? `${request.path}${randomId()}.json` : request.path;
    if (objects === undefined) {
      return { path: isWrite ? path : `${path}${randomId()}.json` };
    }
    const key = keyOf(path, 'path');
    const by = isWrite ? this.#countedAs(request.caller) : undefined;
    if (objects.direct !== undefined) {
      // An upload to the URL goes past this server: the largest payload that would be read counts.
      this.#count(by, this.parts.bytesMax);
      const method = isWrite ? 'PUT' : 'GET';
      return { path, uri: await objects.direct.url(method, key, urls.seconds) };
    }
    // One byte must be left, so that who may store nothing hears it here.
    this.#count(by, 0);
    const named = by === undefined ? '' : `&by=${by}`;
    const address = `${server}/api/external-payload?path=${encodeURIComponent(path)}${named}`;
    const object = isWrite ? uploadOf({ path, by }) : key;
    return { path, uri: urls.sign(address, object, isWrite ? 'upload' : 'download').url };
  }

  /**
   * Throws AppError 'forbidden', 'method-not-allowed' unless the URL is signed for an upload,
   * 'not-found' without a store.
   */
  checkSigned(target: UploadTarget, given: GivenSignature): void {
    const object = uploadOf(target);
    this.#objects();
    this.parts.urls.check(object, 'upload', given);
  }

  /**
   * Stores what a signed URL brings. Throws AppError 'forbidden', 'conflict' when it is there,
   * 'too-many' for a caller who has stored too much.
   */
  async upload(target: UploadTarget, content: Buffer, given: GivenSignature): Promise<void> {
    const { path, by } = target;
    const key = keyOf(path, 'path');
    const objects = this.#objects();
    this.checkSigned(target, given);
    if ((await objects.facts(key)) !== undefined) {
      throw new AppError('conflict', `There is a payload at ${path} already`);
    }
    this.#count(by, content.length);
    await objects.put(key, content, jsonType);
  }

  /** Callers with roles are trusted with the store. */
  #countedAs({ id, roles }: Caller): string | undefined {
    if (this.parts.quota === undefined || roles.length > 0) return undefined;
    return createHash('sha256').update(id).digest('hex').slice(0, 16);
  }

  #count(by: string | undefined, bytes: number): void {
    const { quota, clock } = this.parts;
    if (by === undefined || quota === undefined) return;
    const waitMs =
      bytes === 0 ? quota.waitMs(by, clock.monotonic()) : quota.take(by, clock.monotonic(), bytes);
    if (waitMs === undefined) return;
    throw new AppError(
      'too-many',
      'A caller without roles may store only so many bytes of payloads in a day ' +
        '(payloadBytesPerDayMax)',
      { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)) },
    );
  }

  /** Throws AppError 'forbidden', 'not-found'. */
  async download(path: string, given: GivenSignature): Promise<Buffer> {
    const key = keyOf(path, 'path');
    const objects = this.#objects();
    this.parts.urls.check(key, 'download', given);
    const content = await objects.get(key);
    if (content === undefined) throw new AppError('not-found', `There is no payload at ${path}`);
    return content;
  }

  async read(path: string, field: string): Promise<JsonMap> {
    const { objects, bytesMax } = this.parts;
    // Without a store a path is a text like another, as before.
    if (objects === undefined) return {};
    const content = await objects.get(keyOf(path, field));
    if (content === undefined) throw wrongField(field, `names no stored payload: ${path}`);
    if (content.length > bytesMax) {
      throw wrongField(field, `names a payload of more than ${bytesMax} bytes`);
    }
    const value = jsonOf(content);
    if (value === null || typeof value !== 'object' || Array.isArray(value)) {
      throw wrongField(field, 'names a payload that is no JSON object');
    }
    return value;
  }

  #objects(): ObjectStore {
    const { objects } = this.parts;
    if (objects === undefined) throw new AppError('not-found', 'There is no store for payloads');
    return objects;
  }
}

/** The subject of the signature of an upload. */
function uploadOf({ path, by }: UploadTarget): string {
  const key = keyOf(path, 'path');
  return by === undefined ? key : `${key}?by=${by}`;
}

function jsonOf(content: Buffer): ReturnType<typeof parseJson> {
  try {
    return parseJson(content.toString());
  } catch {
    return null;
  }
}

/** Throws AppError 'bad-request' for a path that cannot be one of ours. */
function keyOf(path: string, field: string): string {
  const key = `payloads/${path.replace(/^\/+/, '')}`;
  if (!isObjectKey(key)) {
    throw wrongField(field, 'must be segments of letters, digits and ._- with / between them');
  }
  return key;
}
