// A server with authentication on, and sessions of callers with different roles. Every answer that
// one of its sessions gets, errors too, is checked against the description that the server gives of
// its API.
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { ApiSchemas, type ApiDescription } from './api-schemas.js';
import { projectRoot } from './project.js';
import { personToken } from './person-tokens.js';
import { sharedRedisArgs } from './shared-redis-args.js';
import { startServer, type RunningServer, type ServerSettings } from './server.js';
import { until } from './until.js';

export interface Answer {
  readonly status: number;
  readonly text: string;
  /** Parsed JSON, else the text. */
  readonly body: any; // eslint-disable-line @typescript-eslint/no-explicit-any
  readonly headers: Headers;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH';

/** Sends requests with the same headers. */
export class Session {
  constructor(
    readonly url: string,
    readonly headers: Readonly<Record<string, string>> = {},
    /** Subject id; '' for nobody. */
    readonly subject = '',
    /** Checks answers; absent: they are not checked. */
    readonly forms?: ApiSchemas,
  ) {}

  /** A text goes out as it is, anything else as JSON. */
  async request(
    method: Method,
    route: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const isText = typeof body === 'string';
    const response = await fetch(this.url + route, {
      method,
      headers: {
        ...(body === undefined || isText ? {} : { 'content-type': 'application/json' }),
        ...this.headers,
        ...headers,
      },
      redirect: 'manual',
      ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const contentType = response.headers.get('content-type') ?? '';
    const isJson = contentType.startsWith('application/json');
    const { status } = response;
    this.forms?.check(method, route, { status, contentType, text });
    return { status, text, body: isJson ? JSON.parse(text) : text, headers: response.headers };
  }

  get(route: string): Promise<Answer> {
    return this.request('GET', route);
  }

  post(route: string, body?: unknown): Promise<Answer> {
    return this.request('POST', route, body);
  }

  put(route: string, body?: unknown): Promise<Answer> {
    return this.request('PUT', route, body);
  }

  delete(route: string, body?: unknown): Promise<Answer> {
    return this.request('DELETE', route, body);
  }

  /** Status of a request. */
  async status(method: Method, route: string, body?: unknown): Promise<number> {
    return (await this.request(method, route, body)).status;
  }
}

export interface Key {
  readonly keyId: string;
  readonly keySecret: string;
}

export class SecuredServer {
  private constructor(
    readonly server: RunningServer,
    /** Key of an administrator. */
    readonly key: Key,
    readonly admin: Session,
    readonly nobody: Session,
    /** Knows which replies were sent. */
    readonly forms: ApiSchemas,
    private readonly redisUrl: string | undefined,
  ) {}

  static async start(settings: ServerSettings = {}): Promise<SecuredServer> {
    const server = await startServer({ ...settings, args: ['--auth', ...(settings.args ?? [])] });
    const store = settings.redisUrl === undefined ? [] : ['--redis-url', settings.redisUrl];
    const key = JSON.parse(await adminCommand(server, ['create-key', ...store])) as Key;
    const description = await (await fetch(`${server.url}/api-docs.json`)).json();
    const forms = new ApiSchemas(description as ApiDescription);
    const nobody = new Session(server.url, {}, '', forms);
    // The running server follows the command's records within a second.
    const admin = await until('the new key', () => sessionOf(nobody, key));
    return new SecuredServer(server, key, admin, nobody, forms, settings.redisUrl);
  }

  get url(): string {
    return this.server.url;
  }

  async stop(): Promise<void> {
    await this.server.stop();
  }

  /** A new application with these roles, and the session of its key. */
  async application(name: string, roles: readonly string[] = []): Promise<Session & { key: Key }> {
    const { id } = (await this.admin.post('/api/applications', { name })).body;
    for (const role of roles) await this.admin.post(`/api/applications/${id}/roles/${role}`);
    const { id: keyId, secret } = (await this.admin.post(`/api/applications/${id}/accessKeys`))
      .body;
    const key = { keyId, keySecret: secret };
    const session = await sessionOf(this.nobody, key, `app:${id}`);
    return Object.assign(session as Session, { key });
  }

  /** A new user with these roles and no password, and a session of its token. */
  async user(
    id: string,
    roles: readonly string[],
    groups: readonly string[] = [],
  ): Promise<Session> {
    await this.admin.put(`/api/users/${id}`, { name: id, roles, groups });
    return this.#sessionOf(id, await personToken(this.server.dataDir, id, this.redisUrl));
  }

  /** As `user`, with the password `password of ID`, which he has signed in with. */
  async userWithPassword(
    id: string,
    roles: readonly string[],
    groups: readonly string[] = [],
  ): Promise<Session> {
    const password = `password of ${id}`;
    await this.admin.put(`/api/users/${id}`, { name: id, roles, groups, password });
    const answer = await this.nobody.post('/api/token', { email: id, password });
    return this.#sessionOf(id, answer.body.token as string);
  }

  #sessionOf(id: string, token: string): Session {
    return new Session(this.url, { 'x-authorization': token }, id, this.forms);
  }

  /** Grants rights to a user or application by its subject id. */
  async grant(to: Session, type: string, id: string, access: readonly string[]): Promise<void> {
    const request = { subject: { type: 'USER', id: to.subject }, target: { type, id }, access };
    await this.admin.post('/api/auth/authorization', request);
  }
}

/** Output of `npm run admin -- <args>` for the server's store. */
export async function adminCommand(
  { dataDir }: Pick<RunningServer, 'dataDir'>,
  args: string[],
): Promise<string> {
  const program = path.join(projectRoot, 'dist', 'admin-command.js');
  const settings = ['--data-dir', dataDir, ...sharedRedisArgs(dataDir)];
  const run = promisify(execFile);
  return (await run(process.execPath, [program, ...args, ...settings])).stdout;
}

async function sessionOf(nobody: Session, key: Key, subject = ''): Promise<Session | undefined> {
  const answer = await nobody.post('/api/token', key);
  if (answer.status !== 200) return undefined;
  const headers = { 'x-authorization': answer.body.token };
  return new Session(nobody.url, headers, subject, nobody.forms);
}
