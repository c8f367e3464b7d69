// Objects in a bucket of S3 or of a server that speaks its protocol. `aws4fetch` signs (Signature
// Version 4, bucket in the path), undici sends; both are loaded at the first use. A request is
// repeated when the server was not reached or answers 5xx: every request here may be carried out
// twice.
import type { AwsClient } from 'aws4fetch';
import {
  isObjectKey,
  ObjectRefusal,
  type DirectAccess,
  type ObjectFacts,
  type ObjectStore,
} from '../store/object-store.js';

export interface BucketSettings {
  /** `https://host`, with a port if it has one. */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  /** The prefix of every key; empty or ending in `/`. */
  readonly prefix: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

interface Call {
  readonly method: 'GET' | 'PUT' | 'HEAD' | 'POST' | 'DELETE';
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string;
  readonly contentType?: string;
}

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

const triesMax = 3;
/** Doubled before each further attempt. */
const retryMs = 50;
const requestTimeMs = 60_000;

export class S3ObjectStore implements ObjectStore {
  readonly kind = 's3';
  readonly direct: DirectAccess = {
    url: (method, key, seconds) => this.#presigned(method, key, seconds, {}),
    startParts: (key) => this.#startParts(key),
    partUrl: (key, uploadId, part, seconds) =>
      this.#presigned('PUT', key, seconds, { partNumber: String(part), uploadId }),
    completeParts: (key, uploadId, tags) => this.#completeParts(key, uploadId, tags),
    abortParts: (key, uploadId) => this.#abortParts(key, uploadId),
  };
  #client: Promise<AwsClient> | undefined;

  constructor(private readonly settings: BucketSettings) {}

  async put(key: string, content: Buffer, contentType: string): Promise<void> {
    await this.#ok({ method: 'PUT', key, body: content, contentType });
  }

  async get(key: string): Promise<Buffer | undefined> {
    const call: Call = { method: 'GET', key };
    const reply = await this.#send(call);
    return reply.status === 404 ? undefined : whenOk(call, reply).body;
  }

  async facts(key: string): Promise<ObjectFacts | undefined> {
    const call: Call = { method: 'HEAD', key };
    const reply = await this.#send(call);
    if (reply.status === 404) return undefined;
    const { headers } = whenOk(call, reply);
    const hash = String(headers['etag'] ?? '').replaceAll('"', '');
    return { bytes: Number(headers['content-length'] ?? 0), hash };
  }

  async remove(key: string): Promise<void> {
    const call: Call = { method: 'DELETE', key };
    const reply = await this.#send(call);
    if (reply.status !== 404) whenOk(call, reply);
  }

  async #startParts(key: string): Promise<string> {
    const { body } = await this.#ok({ method: 'POST', key, query: { uploads: '' } });
    const id = /<UploadId>([^<]+)<\/UploadId>/.exec(body.toString())?.[1];
    if (id === undefined) throw new Error('The object store began no upload in parts');
    return id;
  }

  async #completeParts(key: string, uploadId: string, tags: readonly string[]): Promise<void> {
    const parts = tags.map(
      (tag, i) => `<Part><PartNumber>${i + 1}</PartNumber><ETag>${escaped(tag)}</ETag></Part>`,
    );
    const body = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`;
    const reply = await this.#send({ method: 'POST', key, query: { uploadId }, body });
    // A failure may come with status 200 as well.
    const refusal = /<Code>([^<]+)<\/Code>/.exec(reply.body.toString())?.[1];
    if (reply.status >= 300 || refusal !== undefined) {
      throw new ObjectRefusal(`The upload in parts was refused: ${refusal ?? reply.status}`);
    }
  }

  async #abortParts(key: string, uploadId: string): Promise<void> {
    const call: Call = { method: 'DELETE', key, query: { uploadId } };
    const reply = await this.#send(call);
    if (reply.status !== 404) whenOk(call, reply);
  }

  async #presigned(
    method: 'GET' | 'PUT',
    key: string,
    seconds: number,
    query: Readonly<Record<string, string>>,
  ): Promise<string> {
    const client = await this.#signer();
    const url = this.#urlOf(key, { ...query, 'X-Amz-Expires': String(seconds) });
    return (await client.sign(url, { method, aws: { signQuery: true } })).url;
  }

  async #ok(call: Call): Promise<Reply> {
    return whenOk(call, await this.#send(call));
  }

  async #send(call: Call): Promise<Reply> {
    const url = this.#urlOf(call.key, call.query ?? {});
    for (let attempt = 1; ; attempt += 1) {
      try {
        const reply = await this.#sendOnce(url, call);
        if (reply.status < 500 || attempt === triesMax) return reply;
      } catch (error) {
        if (attempt === triesMax) throw error;
      }
      await new Promise((resume) => setTimeout(resume, retryMs * 2 ** attempt));
    }
  }

  async #sendOnce(url: string, { method, body, contentType }: Call): Promise<Reply> {
    const [client, { request }] = await Promise.all([this.#signer(), import('undici')]);
    const given = contentType === undefined ? {} : { 'content-type': contentType };
    const signed = await client.sign(url, { method, headers: given });
    const answer = await request(signed.url, {
      method,
      headers: Object.fromEntries(signed.headers),
      ...(body === undefined ? {} : { body }),
      headersTimeout: requestTimeMs,
      bodyTimeout: requestTimeMs,
    });
    const content = Buffer.from(await answer.body.arrayBuffer());
    return { status: answer.statusCode, headers: answer.headers, body: content };
  }

  #urlOf(key: string, query: Readonly<Record<string, string>>): string {
    if (!isObjectKey(key)) throw new Error(`'${key}' is no key of an object`);
    const { endpoint, bucket, prefix } = this.settings;
    const url = new URL(`${endpoint.replace(/\/$/, '')}/${bucket}/${prefix}${key}`);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    return url.href;
  }

  #signer(): Promise<AwsClient> {
    const { accessKeyId, secretAccessKey, region } = this.settings;
    return (this.#client ??= import('aws4fetch').then(
      (library) =>
        new library.AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: 0 }),
    ));
  }
}

function whenOk({ method, key }: Call, reply: Reply): Reply {
  if (reply.status < 300) return reply;
  const code = /<Code>([^<]+)<\/Code>/.exec(reply.body.toString())?.[1] ?? '';
  throw new Error(`The object store answered ${reply.status} ${code} to ${method} ${key}`);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
