// One address for two servers while workers move from the old one to the new one. Polls ask both;
// a report goes to the server that has the task; a call about one execution goes to the server that
// has it; lists and searches show both; starts and everything else go to the new one. Nothing is
// stored: a proxy may be killed and started again, and several may run side by side.
import http from 'node:http';
import type { Duplex } from 'node:stream';
import { isObject, textOf } from '../shared/json.js';
import { readHistory } from '../import/history.js';
import { mergePages, mergeValues, rowsMax } from './merge.js';
import { Places, type Place } from './places.js';
import { Polls } from './poll.js';
import { readCall, Refused, wholeNumberIn, type Call } from './read-call.js';
import { jsonOf, SideAway, type Side, type SideAnswer, type SideName } from './side.js';

export interface ProxyOptions {
  readonly old: Side;
  readonly new: Side;
  /** Which server new executions start on. */
  readonly startsOn: SideName;
  /** Folder that `import --history` wrote; absent: none. */
  readonly history?: string | undefined;
}

/** Of a bulk call: as many as the field's servers take. */
const bulkIdsMax = 1000;
const callersRememberedMax = 1000;
const callerTrustedMs = 60_000;

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const droppedHeaders = new Set([
  ...['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'content-encoding'],
]);

interface Reply {
  readonly status: number;
  readonly headers?: Headers;
  readonly body?: Buffer | string;
}

export class TwoServers {
  readonly #sides: Readonly<Record<SideName, Side>>;
  readonly #places: Places;
  readonly #polls: Polls;
  readonly #callers = new Map<string, number>();
  readonly counts = {
    handedOut: { old: 0, new: 0 },
    reports: { old: 0, new: 0 },
    starts: { old: 0, new: 0 },
  };

  constructor(private readonly options: ProxyOptions) {
    this.#sides = { old: options.old, new: options.new };
    this.#places = new Places(this.#sides);
    this.#polls = new Polls(this.#sides, this.#places, (side, count) => {
      this.counts.handedOut[side] += count;
    });
  }

  /** Answers requests until it is closed. */
  server(): http.Server {
    const server = http.createServer((request, response) => {
      void this.#answer(request, response);
    });
    server.on('clientError', refuseUnread);
    return server;
  }

  async #answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    let reply: Reply;
    try {
      reply = await this.#route(await readCall(request, response));
    } catch (error) {
      reply = failure(error);
    }
    const { status, headers, body = '' } = reply;
    for (const [name, value] of headers ?? []) {
      if (!droppedHeaders.has(name)) response.setHeader(name, value);
    }
    // The rest of a body that was not read would be taken for the next request.
    if (!request.complete) response.setHeader('connection', 'close');
    response.writeHead(status).end(body);
  }

  async #route(call: Call): Promise<Reply> {
    const { method, pathname } = call;
    if (pathname === '/proxy/status') return json(200, this.counts);
    const poll = /^\/api\/tasks\/poll\/(batch\/)?([^/]+)$/.exec(pathname);
    if (poll !== null && method === 'GET')
      return await this.#poll(call, poll[2] ?? '', poll[1] !== undefined);
    if (method === 'POST' && /^\/api\/tasks(\/update-v2)?$/.test(pathname))
      return await this.#report(call);
    if (/^\/api\/workflow\/bulk\//.test(pathname)) return await this.#bulk(call);
    const parts = pathname.split('/');
    const id = parts.find((part) => uuid.test(part));
    if (id !== undefined) return await this.#ofOne(call, id, kindOf(pathname, id));
    if (method === 'GET' && isSearch(pathname)) return await this.#search(call);
    if (isList(method, pathname)) return await this.#list(call);
    if (isStart(method, pathname)) return await this.#start(call);
    return await this.#send(this.#sides.new, call);
  }

  async #poll(call: Call, type: string, isBatch: boolean): Promise<Reply> {
    if (isBatch === false) call.query.set('count', '1');
    for (const name of ['count', 'timeout']) wholeNumberIn(call.query, name);
    await this.#requireCaller(call);
    const { tasks, refusal: refused } = await this.#polls.poll(
      type,
      call.query,
      call.headers,
      call.isGone,
    );
    if (refused !== undefined && tasks.length === 0) return refused;
    if (isBatch) return json(200, tasks);
    return tasks.length === 0 ? { status: 204 } : json(200, tasks[0]);
  }

  /** By the task that the body names. */
  async #report(call: Call): Promise<Reply> {
    const report = parsed(call.body);
    const id = isObject(report) ? textOf(report['workflowInstanceId']) : '';
    const task = isObject(report) ? textOf(report['taskId']) : '';
    if (!uuid.test(id)) return await this.#send(this.#sides.new, call);
    const place = await this.#places.find(id, 'workflow', call.headers);
    return await this.#at(place, call, async (side) => {
      const answer = await this.#send(this.#sides[side], call);
      if (answer.status >= 300) return answer;
      this.counts.reports[side]++;
      this.#places.note(task, side);
      // The answer may hand out the next task.
      const next = jsonOf(answer);
      if (isObject(next)) {
        this.#places.note(next['taskId'], side);
        this.#places.note(next['workflowInstanceId'], side);
        if (textOf(next['taskId']) !== '') this.counts.handedOut[side]++;
      }
      return answer;
    });
  }

  async #ofOne(call: Call, id: string, of: 'workflow' | 'task'): Promise<Reply> {
    const place = await this.#places.find(id, of, call.headers);
    const { history } = this.options;
    const isRead = call.method === 'GET' && call.pathname === `/api/workflow/${id}`;
    if (isRead && history !== undefined && place.kind !== 'at') {
      const kept = await readHistory(history, id);
      if (kept !== undefined) {
        await this.#requireCaller(call);
        return json(200, kept);
      }
    }
    return await this.#at(place, call, (side) => this.#send(this.#sides[side], call));
  }

  async #at(
    place: Place,
    call: Call,
    work: (side: SideName) => Promise<Reply & SideAnswer>,
  ): Promise<Reply> {
    // "Not found" would be a lie while one of them cannot be asked.
    if (place.kind === 'unknown') throw place.away;
    // The new server says in its own words that there is no such thing.
    return place.kind === 'nowhere'
      ? await this.#send(this.#sides.new, call)
      : await work(place.side);
  }

  async #bulk(call: Call): Promise<Reply> {
    const ids = parsed(call.body);
    if (!Array.isArray(ids)) return await this.#send(this.#sides.new, call);
    // Each is looked for at both servers.
    if (ids.length > bulkIdsMax)
      throw new Refused(
        400,
        `A bulk call names ${bulkIdsMax} executions at most, not ${ids.length}.`,
      );
    const byOf: Record<SideName, unknown[]> = { old: [], new: [] };
    for (const id of ids as unknown[]) {
      const place =
        typeof id === 'string' && uuid.test(id)
          ? await this.#places.find(id, 'workflow', call.headers)
          : undefined;
      if (place?.kind === 'unknown') throw place.away;
      byOf[place?.kind === 'at' ? place.side : 'new'].push(id);
    }
    const asked = (['new', 'old'] as const).filter((side) => byOf[side].length > 0);
    if (asked.length === 0) return await this.#send(this.#sides.new, call);
    const answers: (Reply & SideAnswer)[] = [];
    for (const side of asked) {
      const body = Buffer.from(JSON.stringify(byOf[side]));
      answers.push(await this.#send(this.#sides[side], { ...call, body }));
    }
    return mergedOrRefused(answers, (values) => values.reduce(mergeValues));
  }

  async #search(call: Call): Promise<Reply> {
    const start = wholeNumberIn(call.query, 'start') ?? 0;
    const size = wholeNumberIn(call.query, 'size') ?? 100;
    const sort = call.query.get('sort') ?? 'startTime:DESC';
    if (start + size > rowsMax)
      return refusal(
        400,
        `A search through the proxy shows ${rowsMax} rows: start and size are ${start} and ${size}. Narrow it, or ask one of the servers.`,
        false,
      );
    const query = new URLSearchParams(call.query);
    query.set('start', '0');
    query.set('size', String(start + size));
    query.set('sort', sort);
    const path = `${call.pathname}?${query.toString()}`;
    return mergedOrRefused(await this.#both({ ...call, path }), (values) =>
      mergePages(values, { start, size, sort }),
    );
  }

  async #list(call: Call): Promise<Reply> {
    return mergedOrRefused(await this.#both(call), (values) => values.reduce(mergeValues));
  }

  /** The new one first. */
  async #both(call: Call): Promise<(Reply & SideAnswer)[]> {
    return await Promise.all([
      this.#send(this.#sides.new, call),
      this.#send(this.#sides.old, call),
    ]);
  }

  async #start(call: Call): Promise<Reply> {
    const side = this.options.startsOn;
    const answer = await this.#send(this.#sides[side], call);
    if (answer.status >= 300) return answer;
    this.counts.starts[side]++;
    const text = answer.body.toString();
    const made = jsonOf(answer);
    this.#places.note(uuid.test(text) ? text : undefined, side);
    if (isObject(made)) this.#places.note(made['workflowId'], side);
    return answer;
  }

  async #send(side: Side, call: Call): Promise<Reply & SideAnswer> {
    if (side.hasOwnKey) await this.#requireCaller(call);
    const { method, path, headers, body } = call;
    return await side.send({ method, path, headers, body });
  }

  /**
   * Calls to the old server may go with a key of the proxy: then the new server has to know the
   * caller, or anybody could use that key.
   */
  async #requireCaller({ headers }: Call): Promise<void> {
    if (!this.#sides.old.hasOwnKey) return;
    const token = headers['x-authorization'] ?? '';
    const until = this.#callers.get(token);
    if (until !== undefined && until > Date.now()) return;
    const answer = await this.#sides.new.send({
      method: 'GET',
      path: '/api/token/userInfo',
      headers,
    });
    if (answer.status === 401 || answer.status === 403) throw new Unauthorized(answer);
    if (answer.status >= 500) throw new SideAway('new', `answers ${answer.status}`);
    if (this.#callers.size >= callersRememberedMax) this.#callers.clear();
    this.#callers.set(token, Date.now() + callerTrustedMs);
  }
}

class Unauthorized extends Error {
  constructor(readonly answer: SideAnswer) {
    super('The new server does not know the caller.');
  }
}

function kindOf(pathname: string, id: string): 'workflow' | 'task' {
  const parts = pathname.split('/');
  const after = parts.slice(parts.indexOf(id) + 1);
  if (pathname.startsWith('/api/tasks/')) return isByReference(after) ? 'workflow' : 'task';
  if (pathname.startsWith('/api/human/')) return 'task';
  return 'workflow';
}

/** `/api/tasks/{workflowId}/{reference}/{status}`; a task has `log` and the like behind it. */
function isByReference(after: readonly string[]): boolean {
  return after.length >= 2 && /^[A-Z_]+$/.test(after[1] ?? '');
}

function isSearch(pathname: string): boolean {
  return /^\/api\/(?:workflow|tasks)\/search(?:-by-tasks)?(?:-v2)?$/.test(pathname);
}

/** Lists of executions, and numbers of queues. */
function isList(method: string, pathname: string): boolean {
  if (/^\/api\/workflow\/[^/]+\/correlated(?:\/[^/]+)?$/.test(pathname)) return true;
  if (method !== 'GET') return false;
  return (
    /^\/api\/workflow\/running\/[^/]+$/.test(pathname) ||
    /^\/api\/tasks\/queue\/(?:all|sizes?|all\/verbose|polldata|polldata\/all)$/.test(pathname)
  );
}

function isStart(method: string, pathname: string): boolean {
  if (method !== 'POST') return false;
  return (
    /^\/api\/workflow(?:\/[^/]+)?$/.test(pathname) ||
    /^\/api\/workflow\/execute\/[^/]+(?:\/[^/]+)?$/.test(pathname)
  );
}

/** The first refusal as it is, else all answers as one. */
function mergedOrRefused(
  answers: readonly (Reply & SideAnswer)[],
  merge: (values: unknown[]) => unknown,
): Reply {
  const refused = answers.find(({ status }) => status >= 400);
  return refused ?? json(200, merge(answers.map(jsonOf)));
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString()) as unknown;
  } catch {
    return undefined;
  }
}

function json(status: number, value: unknown): Reply {
  const headers = new Headers({ 'content-type': 'application/json' });
  return { status, headers, body: JSON.stringify(value) };
}

/** In the form of the field's errors. */
function refusal(status: number, message: string, retryable: boolean): Reply {
  return json(status, { status, message, retryable });
}

function failure(error: unknown): Reply {
  if (error instanceof Unauthorized) return error.answer;
  if (error instanceof Refused) return refusal(error.status, error.message, false);
  if (error instanceof SideAway) return refusal(503, `${error.message} Try again.`, true);
  return refusal(500, error instanceof Error ? error.message : String(error), false);
}

/** Closes a connection that does not speak HTTP: there is no request to answer. */
function refuseUnread(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const isLarge = error.code === 'HPE_HEADER_OVERFLOW';
  const status = isLarge ? 431 : 400;
  const why = isLarge ? 'The headers are too large.' : `This is no HTTP request: ${error.message}`;
  const { body = '' } = refusal(status, why, false);
  socket.end(
    `HTTP/1.1 ${status} ${http.STATUS_CODES[status]}\r\ncontent-type: application/json\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body.toString()}`,
  );
}
