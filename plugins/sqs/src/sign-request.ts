// Signs a request to AWS or to what speaks its protocol (Signature Version 4): an HMAC over method,
// address, headers and body, with a key that is derived from the secret, the day and the region.
import { createHash, createHmac } from 'node:crypto';

export interface AwsCredentials {
  readonly keyId: string;
  readonly secret: string;
  readonly region: string;
  readonly service: string;
}

export interface SignedRequest {
  readonly url: URL;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** The headers of a POST with its signature. `at`: epoch ms. */
export function signRequest(
  { url, headers, body }: SignedRequest,
  { keyId, secret, region, service }: AwsCredentials,
  at: number,
): Map<string, string> {
  const time = new Date(at).toISOString().replace(/[-:]|\.\d{3}/g, '');
  const day = time.slice(0, 8);
  const sent = new Map([...headers].map(([name, value]) => [name.toLowerCase(), value] as const));
  sent.set('host', url.host);
  sent.set('x-amz-date', time);
  const names = [...sent.keys()].sort();
  const canonical = [
    ...['POST', url.pathname, ''],
    ...names.map((name) => `${name}:${sent.get(name)?.trim() ?? ''}`),
    ...['', names.join(';'), sha256(body)],
  ].join('\n');
  const scope = `${day}/${region}/${service}/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n');
  const key = [day, region, service, 'aws4_request'].reduce<Buffer>(
    (parent, part) => hmac(parent, part),
    Buffer.from(`AWS4${secret}`),
  );
  const signature = hmac(key, text).toString('hex');
  const signed = names.join(';');
  sent.set(
    'authorization',
    `AWS4-HMAC-SHA256 Credential=${keyId}/${scope}, SignedHeaders=${signed}, Signature=${signature}`,
  );
  return sent;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
