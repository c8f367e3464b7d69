// Serves the built page with recorded answers, so that it looks the same each time: with those of a
// filled server, with those of an empty one, refused, or with answers that never come. The answers
// lie in baseline/STATE.json, written by `npm run screenshots -- --baseline --record`, and the page
// is shown at the moment when they were recorded. A stream is refused, so that pages ask.
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { createPage, type Page } from '../../../src/api/page.js';
import { projectRoot } from '../../../testkit/project.js';
import type { Places } from '../page-list.js';
import { noBody } from '../../../src/api/request-body.js';

export const baselineFolder = path.join(projectRoot, 'test', 'ui', 'pictures', 'baseline');

export interface RecordedAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

export interface Recording {
  /** When it was made, epoch ms. */
  readonly at: number;
  /** What the server held. */
  readonly places: Places | undefined;
  /** By `METHOD path?query`, with the body behind it where there is one. */
  readonly answers: Record<string, RecordedAnswer>;
}

const refusal: RecordedAnswer = {
  status: 404,
  contentType: 'application/json',
  body: JSON.stringify({ message: 'The store is away', instance: 'node-1', status: 404 }),
};
/** Answered even where all else is refused or waits: who asks, and what there is. */
const always = /\/api\/(?:features|resources)$/;

/** `recorded`: as recorded. `refused`: the server says no. `waiting`: it says nothing. */
export type Manner = 'recorded' | 'refused' | 'waiting';

export class RecordedServer {
  /** Requests that the recording has no answer to. */
  readonly unknown = new Set<string>();
  manner: Manner = 'recorded';
  /** A real server that is asked what is not recorded; absent: nothing is recorded. */
  upstream: string | undefined;
  #inFlight = 0;

  private constructor(
    private readonly server: http.Server,
    readonly recording: Recording,
  ) {}

  static async start(recording: Recording): Promise<RecordedServer> {
    const page = createPage(path.join(projectRoot, 'dist', 'ui'));
    const listener = http.createServer();
    const recorded = new RecordedServer(listener, recording);
    listener.on('request', (request, response) => {
      recorded.#inFlight += 1;
      response.on('close', () => (recorded.#inFlight -= 1));
      void recorded.#answer(page, request, response);
    });
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    return recorded;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Whether every request has its answer, but those that never get one. */
  get isQuiet(): boolean {
    return this.manner === 'waiting' || this.#inFlight === 0;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  async #answer(
    page: Page,
    request: http.IncomingMessage,
    response: http.ServerResponse,
  ): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = 'GET', url = '/' } = request;
    if (!/^\/(?:api|health)\b/.test(url)) return sendPage(page, request, response);
    const answer = await this.#recorded(method, url, Buffer.concat(chunks).toString());
    if (answer === undefined) return;
    response.writeHead(answer.status, { 'content-type': answer.contentType });
    response.end(answer.body);
  }

  async #recorded(method: string, url: string, body: string): Promise<RecordedAnswer | undefined> {
    if (url.startsWith('/api/stream')) return { ...refusal, status: 503 };
    if (this.manner === 'refused' && !always.test(url)) return refusal;
    if (this.manner === 'waiting' && !always.test(url)) return undefined;
    const key = [`${method} ${url}`, body].filter(Boolean).join(' ');
    const known = this.recording.answers[key];
    if (known !== undefined) return known;
    if (this.upstream === undefined) {
      this.unknown.add(key);
      return refusal;
    }
    const answer = await askUpstream(this.upstream, method, url, body);
    this.recording.answers[key] = answer;
    return answer;
  }
}

async function askUpstream(
  upstream: string,
  method: string,
  url: string,
  body: string,
): Promise<RecordedAnswer> {
  const answer = await fetch(upstream + url, {
    method,
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    ...(body === '' ? {} : { body }),
  });
  const contentType = answer.headers.get('content-type') ?? '';
  const text = withoutPlace(await answer.text(), upstream);
  return { status: answer.status, contentType, body: text };
}

/** Without what names the machine that recorded. */
function withoutPlace(text: string, upstream: string): string {
  return text
    .replaceAll(projectRoot, '/opt/downbeat')
    .replaceAll(`${os.tmpdir()}/`, '/var/lib/downbeat/')
    .replaceAll(new URL(upstream).port, '8080')
    .replaceAll(new RegExp(`\\b${os.hostname()}\\b`, 'g'), 'node-1');
}

function sendPage(page: Page, request: http.IncomingMessage, response: http.ServerResponse): void {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost');
  const header = (name: string): string => String(request.headers[name] ?? '');
  const asked = {
    ...{ method: 'GET', path: pathname, query: '', header, headers: () => ({}) },
    ...{ body: noBody, remoteAddress: '', onAbort: () => undefined },
  };
  const answer = page({ http: asked, path: pathname, basePath: '' });
  response.writeHead(answer?.status ?? 404, {
    ...answer?.headers,
    'content-type': answer?.contentType ?? 'text/plain',
  });
  response.end(answer?.body);
}

/** What to do about requests that have no recorded answer. */
export function notRecorded(unknown: ReadonlySet<string>): string {
  const asked = [...unknown].map((each) => each.slice(0, 200)).join('\n');
  return `npm run screenshots -- --baseline --record: no answer is recorded to\n${asked}`;
}

const fileOf = (state: string): string => path.join(baselineFolder, `${state}.json`);

export function readRecording(state: string): Recording {
  const written = JSON.parse(fs.readFileSync(fileOf(state), 'utf8')) as Recording;
  return written;
}

/** One answer a line, in the order of their requests. */
export function writeRecording(state: string, { at, places, answers }: Recording): void {
  const lines = Object.entries(answers)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map((entry) => entry.map((part) => JSON.stringify(part)).join(': '));
  fs.mkdirSync(baselineFolder, { recursive: true });
  fs.writeFileSync(
    fileOf(state),
    `{"at": ${at}, "places": ${JSON.stringify(places ?? null)}, "answers": {\n${lines.join(',\n')}\n}}\n`,
  );
}
