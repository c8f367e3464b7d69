// Bodies and numbers that no client sends, at every operation that a started server describes, so
// also at those that are added later: packed bodies, members named as parts of every object, the
// same member twice, nesting, ids of odd letters, numbers beyond all pages. Each is answered, with
// no 5xx, and a member without meaning changes nothing about the answer's status.
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  Samples,
  targetsOf,
  type DescribedParameter,
  type Description,
  type Target,
} from '../support/hostile-requests.js';
import { SecuredServer, type Answer, type Method } from '../../testkit/secured-server.js';

/** Of requests to one server. */
const atOnce = 8;
/** Waits on purpose (test/server/fuzz.test.ts), or ends the session that asks. */
const notTried = new Set(['/api/admin/fsck', '/api/sign-out', '/api/stream']);

const oddIds = [
  '%ED%A0%80', 'a%CC%81%CC%81%CC%81', '%E2%80%AEevil', '%00', 'a%00b', '%EF%BB%BF', '%F0%9F%92%A5', '..%2F..', '%2E%2E',
  '__proto__', 'constructor', 'hasOwnProperty', 'x'.repeat(7000), '%E2%80%8B', '%0A', '%25%30%30',
]; // prettier-ignore
const oddNumbers = [
  '1e308', '9007199254740992', '9223372036854775807', '-1', '-9007199254740993', '2147483647', '-2147483648', '4294967296',
  'Infinity', '-0', '0.5', '9'.repeat(400), '١٢',
]; // prettier-ignore
const waits = new Set(['timeout', 'timeoutMillis', 'waitForSeconds']);

let server: SecuredServer;
let targets: readonly Target[];
let samples: Samples;
beforeAll(async () => {
  server = await SecuredServer.start();
  const { body } = await server.nobody.get('/api-docs.json');
  const description = body as Description;
  targets = targetsOf(description).filter(({ path }) => !notTried.has(path));
  samples = new Samples(description.components.schemas, { waitForSeconds: 1, roles: ['USER'] });
});
afterAll(() => server.stop());

interface OddRequest {
  readonly target: Target;
  readonly path: string;
  readonly body: string | Buffer | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The path with plain values, and those query parameters that are waits, which stay short. */
function pathOf(
  { path, operation }: Target,
  odd?: { readonly parameter: DescribedParameter; readonly text: string },
): string {
  let made = path;
  const query: string[] = [];
  for (const parameter of operation.parameters) {
    const isOdd = parameter === odd?.parameter;
    const text = isOdd ? odd.text : encodeURIComponent(samples.textOf(parameter));
    if (parameter.in === 'path') made = made.replace(`{${parameter.name}}`, text);
    else if (parameter.in === 'query' && (isOdd || waits.has(parameter.name))) {
      query.push(`${parameter.name}=${text}`);
    }
  }
  return query.length === 0 ? made : `${made}?${query.join('&')}`;
}

/** The sample of its body; undefined: it has none in JSON. */
function bodyOf({ operation }: Target): unknown {
  const content = operation.requestBody?.content['application/json'];
  return content === undefined ? undefined : samples.valueOf(content.schema);
}

async function answerTo({ target, path, body, headers = {} }: OddRequest): Promise<Answer> {
  const { admin } = server;
  const response = await fetch(server.url + path, {
    method: target.method as Method,
    headers: {
      ...admin.headers,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    signal: AbortSignal.timeout(30_000),
    ...(body === undefined ? {} : { body }),
  });
  const { status } = response;
  return { status, text: await response.text(), body: undefined, headers: response.headers };
}

/** A sentence for each request whose answer is not as `judge` wants it. */
async function troubles(
  requests: readonly OddRequest[],
  judge: (answer: Answer, request: OddRequest) => string | undefined | Promise<string | undefined>,
): Promise<string[]> {
  const found: string[] = [];
  const rest = requests.values();
  const sender = async (): Promise<void> => {
    for (const request of rest) {
      const { method } = request.target;
      const what = `${method} ${request.path.slice(0, 120)} ${String(request.body).slice(0, 300)}`;
      try {
        const answer = await answerTo(request);
        const trouble = await judge(answer, request);
        if (trouble !== undefined) {
          found.push(`${trouble}: ${what} answered ${answer.status} ${answer.text.slice(0, 200)}`);
        }
      } catch (error) {
        found.push(`${String(error)}: ${what}`);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, sender));
  return found;
}

const isRefused = ({ status }: Answer): string | undefined =>
  status >= 400 && status < 500 ? undefined : 'not refused';
const isAnswered = ({ status }: Answer): string | undefined =>
  status < 500 || status === 501 || status === 502 ? undefined : 'a 5xx';

describe('odd requests at every operation', () => {
  it('that are packed are refused and never unpacked', { timeout: 120_000 }, async () => {
    const bomb = gzipSync(Buffer.alloc(32 * 1024 * 1024, ' '), { level: 9 });
    const requests = targets
      .filter(({ operation }) => operation.requestBody !== undefined)
      .map((target) => ({
        ...{ target, path: pathOf(target), body: bomb },
        headers: { 'content-encoding': 'gzip' },
      }));
    expect(requests.length).toBeGreaterThan(50);
    expect(await troubles(requests, isRefused)).toEqual([]);
  });

  it(
    'that name parts of every object are read as any other name',
    { timeout: 180_000 },
    async () => {
      const member = (body: object, name: string): string => {
        const text = JSON.stringify(body);
        return `${text.slice(0, -1)}${text === '{}' ? '' : ','}${JSON.stringify(name)}:{"a":1}}`;
      };
      const wrap = (body: unknown, name: string): string | undefined => {
        const one = Array.isArray(body) ? (body[0] as unknown) : body;
        if (typeof one !== 'object' || one === null) return undefined;
        return Array.isArray(body) ? `[${member(one, name)}]` : member(one, name);
      };
      const requests = targets.flatMap((target) => {
        const body = bodyOf(target);
        return ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'].flatMap(
          (name) => {
            const text = wrap(body, name);
            return text === undefined ? [] : [{ target, path: pathOf(target), body: text }];
          },
        );
      });
      expect(requests.length).toBeGreaterThan(250);
      const found = await troubles(requests, async (answer, { target, path }) => {
        const { status } = answer;
        if (status === 400) return undefined;
        const plain = await answerTo({ target, path, body: wrap(bodyOf(target), 'ordinary') });
        const isSame = isTaken(plain.status) === isTaken(status) || isRepeat(plain.status, status);
        return isAnswered(answer) ?? (isSame ? undefined : `an ordinary name gets ${plain.status}`);
      });
      expect(found).toEqual([]);
    },
  );

  it('with one member twice, or too deep, are answered', { timeout: 180_000 }, async () => {
    const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
    const requests = targets.flatMap((target) => {
      const body = bodyOf(target);
      if (typeof body !== 'object' || body === null) return [];
      const text = JSON.stringify(body);
      const twice = text.replace(/"(\w+)":("[^"]*"|\d+|true|false)/, '"$1":$2,"$1":$2');
      const path = pathOf(target);
      const inMember = text.replace(/("\w+"):(\{\}|\{[^{}]*\})/, `$1:${deep}`);
      const bodies = [twice, deep, `[${deep}]`, inMember];
      return bodies.map((each) => ({ target, path, body: each }));
    });
    expect(await troubles(requests, isAnswered)).toEqual([]);
  });

  it(
    'with ids of odd letters and numbers beyond all pages are answered',
    { timeout: 300_000 },
    async () => {
      const requests = targets.flatMap((target) => {
        const body = bodyOf(target);
        const text = body === undefined ? undefined : JSON.stringify(body);
        return target.operation.parameters.flatMap((parameter) => {
          const isNumber = ['integer', 'number'].includes(parameter.schema.type ?? '');
          if (parameter.in === 'header' || (waits.has(parameter.name) && isNumber)) return [];
          const odd = isNumber ? oddNumbers : oddIds;
          return odd.map((each) => ({
            target,
            path: pathOf(target, { parameter, text: each }),
            body: text,
          }));
        });
      });
      expect(requests.length).toBeGreaterThan(1000);
      expect(await troubles(requests, isAnswered)).toEqual([]);
    },
  );

  it('leave the server as it was', async () => {
    expect((await server.nobody.get('/health')).status).toBe(200);
    const { status, body } = await server.admin.get('/api/admin/fsck');
    expect([status, (body as { violations?: unknown[] }).violations ?? []]).toEqual([200, []]);
  });
});

const isTaken = (status: number): boolean => status < 400;

/** The same request again: what was there the first time is gone, or the other way round. */
function isRepeat(first: number, second: number): boolean {
  const repeats = [200, 404, 409];
  return repeats.includes(first) && repeats.includes(second);
}
