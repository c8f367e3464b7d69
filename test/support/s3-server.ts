// A small server that speaks S3 as far as the server needs it: objects with the bucket in the path,
// uploads in parts, requests signed in the header or in the query (Signature Version 4, checked
// here by the published rules with node:crypto alone). It keeps everything in memory.
import { createHash, createHmac, randomUUID } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

export const s3Keys = { accessKeyId: 'AKIDTEST', secretAccessKey: 'secret/of+the-test' };
const region = 'us-east-1';

interface Asked {
  readonly method: string;
  readonly url: URL;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

interface Answer {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: Buffer | string;
}

export class S3Server {
  /** By `/bucket/key`. */
  readonly objects = new Map<string, Buffer>();
  /** Requests that are to fail with 503 before the next one is carried out. */
  failures = 0;
  readonly #uploads = new Map<string, Map<number, Buffer>>();

  private constructor(private readonly server: http.Server) {
    server.on('request', (request, response) => void this.#serve(request, response));
  }

  static async start(): Promise<S3Server> {
    const started = new S3Server(http.createServer());
    await new Promise<void>((ready) => started.server.listen(0, '127.0.0.1', ready));
    return started;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Arguments of a server that keeps its objects here. */
  get args(): string[] {
    return [
      ...['--object-store', 's3', '--s3-endpoint', this.url, '--s3-bucket', 'bucket'],
      ...['--s3-access-key-id', s3Keys.accessKeyId, '--s3-prefix', 'db/'],
      `--s3-secret-access-key=${s3Keys.secretAccessKey}`,
    ];
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((closed) => this.server.close(closed));
  }

  async #serve(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const { method = '', headers } = request;
    const url = new URL(request.url ?? '', `http://${headers.host}`);
    const {
      status,
      headers: more,
      body,
    } = this.#answer({
      ...{ method, url, headers, body: Buffer.concat(pieces) },
    });
    response.writeHead(status, more);
    response.end(method === 'HEAD' ? undefined : body);
  }

  #answer(asked: Asked): Answer {
    if (this.failures > 0) {
      this.failures -= 1;
      return error(503, 'SlowDown');
    }
    if (!isSigned(asked)) return error(403, 'SignatureDoesNotMatch');
    const { method, url, body } = asked;
    const key = decodeURIComponent(url.pathname);
    const query = url.searchParams;
    const uploadId = query.get('uploadId');
    if (query.has('uploads')) return this.#startUpload();
    if (uploadId !== null) return this.#partOf(asked, key, uploadId);
    switch (method) {
      case 'PUT':
        this.objects.set(key, body);
        return { status: 200, headers: { ETag: tagOf(body) } };
      case 'DELETE':
        this.objects.delete(key);
        return { status: 204 };
      default: {
        const found = this.objects.get(key);
        if (found === undefined) return error(404, 'NoSuchKey');
        const headers = { ETag: tagOf(found), 'Content-Length': String(found.length) };
        return { status: 200, headers, body: found };
      }
    }
  }

  #startUpload(): Answer {
    const id = randomUUID();
    this.#uploads.set(id, new Map());
    return { status: 200, body: `<R><UploadId>${id}</UploadId></R>` };
  }

  #partOf({ method, url, body }: Asked, key: string, uploadId: string): Answer {
    const parts = this.#uploads.get(uploadId);
    if (parts === undefined) return error(404, 'NoSuchUpload');
    if (method === 'DELETE') {
      this.#uploads.delete(uploadId);
      return { status: 204 };
    }
    if (method === 'PUT') {
      parts.set(Number(url.searchParams.get('partNumber')), body);
      return { status: 200, headers: { ETag: tagOf(body) } };
    }
    const tags = [...body.toString().matchAll(/<ETag>([^<]+)<\/ETag>/g)].map((found) => found[1]);
    const whole = tags.map((_, i) => parts.get(i + 1) ?? Buffer.alloc(0));
    if (tags.some((tag, i) => tag !== tagOf(whole[i] as Buffer))) return error(400, 'InvalidPart');
    this.objects.set(key, Buffer.concat(whole));
    return { status: 200, body: '<R/>' };
  }
}

function error(status: number, code: string): Answer {
  return { status, body: `<Error><Code>${code}</Code></Error>` };
}

function tagOf(content: Buffer): string {
  return `"${createHash('md5').update(content).digest('hex')}"`;
}

const hmac = (key: Buffer | string, text: string): Buffer =>
  createHmac('sha256', key).update(text).digest();

function isSigned({ method, url, headers }: Asked): boolean {
  const query = url.searchParams;
  const inQuery = query.get('X-Amz-Signature');
  const authorization = headers.authorization ?? '';
  const partOf = (name: string): string =>
    new RegExp(`${name}=([^,]+)`).exec(authorization)?.[1] ?? '';
  const given = inQuery ?? partOf('Signature');
  const credential = query.get('X-Amz-Credential') ?? partOf('Credential');
  const date = query.get('X-Amz-Date') ?? String(headers['x-amz-date']);
  const names = (query.get('X-Amz-SignedHeaders') ?? partOf('SignedHeaders')).split(';');
  const [keyId, day = '', ...scope] = credential.split('/');
  const startAt = Date.parse(
    date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'),
  );
  const lifeMs = inQuery === null ? 900_000 : Number(query.get('X-Amz-Expires')) * 1000;
  if (keyId !== s3Keys.accessKeyId || Date.now() > startAt + lifeMs) return false;
  const canonicalQuery = [...query]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort()
    .join('&');
  const canonical = [
    ...[method, url.pathname, canonicalQuery],
    ...names.map((name) => `${name}:${String(headers[name]).trim()}`),
    '',
    names.join(';'),
    inQuery === null ? String(headers['x-amz-content-sha256']) : 'UNSIGNED-PAYLOAD',
  ].join('\n');
  const hash = createHash('sha256').update(canonical).digest('hex');
  const text = ['AWS4-HMAC-SHA256', date, [day, ...scope].join('/'), hash].join('\n');
  const key = ['s3', 'aws4_request'].reduce(
    hmac,
    hmac(hmac(`AWS4${s3Keys.secretAccessKey}`, day), region),
  );
  return hmac(key, text).toString('hex') === given;
}

function encoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
