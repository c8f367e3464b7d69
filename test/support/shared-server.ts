// One server for each worker of the test runner, one with authentication, and one that is killed,
// each started by the first file of the worker that needs it, and kept for the files after it.
// Their settings are the default ones, but that they may call servers of this machine, as tests
// start them. A file names all that it leaves there by a prefix of its own; what has another name
// fails the file.
import path from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { namesIn } from './server-names.js';
import { SecuredServer, Session } from '../../testkit/secured-server.js';
import { startServer, type RunningServer } from '../../testkit/server.js';
import { noteSharedServer } from './shared-servers.js';

/** A shared server, as one file sees it. It is not ended, killed or given other settings. */
export interface SharedServer {
  readonly url: string;
}

/** The shared server that files kill and start again. */
export type SharedMortalServer = Pick<RunningServer, 'url' | 'kill' | 'restart'>;

/** The shared server with authentication. */
export type SharedSecuredServer = Pick<
  SecuredServer,
  | 'url'
  | 'key'
  | 'admin'
  | 'nobody'
  | 'forms'
  | 'application'
  | 'user'
  | 'userWithPassword'
  | 'grant'
> & { readonly server: Pick<RunningServer, 'dataDir'> };

const settings = { args: ['--outbound-allow-inside=true'] };

let plain: Promise<RunningServer> | undefined;
let mortal: Promise<RunningServer> | undefined;
let secured: Promise<SecuredServer> | undefined;

/**
 * The server that the files of this worker share. Call it where the file begins, with
 * `import.meta.url`: it may be used in hooks and tests, and after them the names are looked at that
 * the file has left.
 */
export function sharedServer(file: string): SharedServer {
  return inHooks(file, async () => {
    plain ??= startServer(settings);
    const { url } = noted(await plain.catch(again));
    return { server: { url }, session: new Session(url) };
  });
}

/**
 * As `sharedServer`, for files that kill their server and start it again: files of a worker run one
 * after the other, so only the file that kills it is without it meanwhile.
 */
export function sharedMortalServer(file: string): SharedMortalServer {
  return inHooks(file, async () => {
    mortal ??= startServer(settings);
    const running = noted(await mortal.catch(again));
    // A file that failed in between has left it dead.
    await running.healthy().catch(() => running.restart());
    const server: SharedMortalServer = {
      url: running.url,
      kill: (signal) => running.kill(signal),
      restart: async (timeoutMs) => {
        await running.restart(timeoutMs);
        noted(running);
      },
    };
    return { server, session: new Session(running.url) };
  });
}

/** As `sharedServer`, with authentication. Persons, groups and applications have names too. */
export function sharedSecuredServer(file: string): SharedSecuredServer {
  return inHooks(file, async () => {
    secured ??= SecuredServer.start(settings);
    const server = await secured.catch(again);
    noted(server.server);
    return { server, session: server.admin };
  });
}

/** The file for which a server did not start fails, and the next one tries again. */
function again(error: unknown): never {
  plain = mortal = secured = undefined;
  throw error;
}

function noted(server: RunningServer): RunningServer {
  noteSharedServer(server.pid, server.dataDir);
  return server;
}

/** Resolves a server before the tests of the file, and looks at its names after them. */
function inHooks<T extends object>(
  file: string,
  start: () => Promise<{ server: T; session: Session }>,
): T {
  const prefix = prefixOf(file);
  let started: { server: T; session: Session; before: ReadonlySet<string> } | undefined;
  beforeAll(async () => {
    const { server, session } = await start();
    started = { server, session, before: new Set(await namesIn(session)) };
  });
  afterAll(async () => {
    if (started === undefined) return;
    const { session, before } = started;
    const added = (await namesIn(session)).filter((name) => !before.has(name));
    await endWhatActs(session, added);
    expect(added.filter((name) => !name.includes(` ${prefix}`))).toEqual([]);
  });
  return new Proxy({} as T, {
    get: (_none, member) => {
      if (started === undefined) throw new Error('the shared server is there in hooks and tests');
      const value: unknown = Reflect.get(started.server, member);
      return typeof value === 'function' ? value.bind(started.server) : value;
    },
  });
}

/**
 * Of test/server/human/user-forms.test.ts `human_user_forms_`, of a file of another folder
 * its own name: of test/semantics/server/5-queues-and-workers.test.ts `queues_and_workers_`.
 */
function prefixOf(file: string): string {
  const tests = path.join(import.meta.dirname, '..', 'server');
  const inTests = path.relative(tests, new URL(file).pathname);
  const name = inTests.startsWith('..') ? path.basename(inTests) : inTests;
  const words = name.replace(/\.test\.ts$/, '').match(/[a-zA-Z][a-zA-Z0-9]*/g);
  return `${words?.join('_') ?? ''}_`;
}

/** What acts by itself: the list of its kind, and the field by which one is removed there. */
const acting = {
  schedule: ['/api/scheduler/schedules', 'name'],
  'event handler': ['/api/event', 'name'],
  'outgoing webhook': ['/api/metadata/outgoing-webhook', 'id'],
} as const;

/** Schedules, event handlers and outgoing webhooks of a file end with it. */
async function endWhatActs(session: Session, names: readonly string[]): Promise<void> {
  for (const [kind, [route, field]] of Object.entries(acting)) {
    if (!names.some((name) => name.startsWith(`${kind} `))) continue;
    const listed = (await session.get(route)).body as Record<string, string>[];
    for (const each of listed.filter(({ name }) => names.includes(`${kind} ${name}`))) {
      await session.delete(`${route}/${encodeURIComponent(String(each[field]))}`);
    }
  }
}
