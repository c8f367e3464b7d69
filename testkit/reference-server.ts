// The open-source server itself, where its boot jar and a Java that runs it are on this machine;
// nothing is downloaded for a test. docs/testing.md says how to have both.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createFolder, removeFolder } from './folder.js';
import { freePort, signalProcess, startProgram, type Program } from './process.js';
import { until } from './until.js';

const version = '3.32.3';
const javaMin = 21;
const startMs = 120_000;

/** Paths of both; or what is missing, in a sentence. */
export type ReferenceParts =
  { readonly java: string; readonly jar: string } | { readonly missing: string };

export function referenceParts(): ReferenceParts {
  const name = `conductor-server-${version}-boot.jar`;
  const folder = path.join('.m2', 'repository', 'org', 'conductoross', 'conductor-server', version);
  const jar = path.join(os.homedir(), folder, name);
  if (!fs.existsSync(jar)) return { missing: `skipped: ${name} is not in the local Maven folder` };
  const java = newEnoughJava();
  if (java === undefined) return { missing: `skipped: no Java ${javaMin} or newer was found` };
  return { java, jar };
}

/** Program of an installed Java that runs the server; undefined: none is installed. */
export function newEnoughJava(): string | undefined {
  const home = javaHomes().find((one) => releaseOf(one) >= javaMin);
  return home === undefined ? undefined : path.join(home, 'bin', 'java');
}

function javaHomes(): string[] {
  const folder = '/usr/lib/jvm';
  const installed = fs.existsSync(folder)
    ? fs.readdirSync(folder).map((name) => path.join(folder, name))
    : [];
  return [process.env['JAVA_HOME'] ?? '', ...installed].filter((home) => home !== '');
}

/** The number that the file `release` of a Java tells; 0: none. */
function releaseOf(home: string): number {
  const file = path.join(home, 'release');
  if (!fs.existsSync(file)) return 0;
  return Number(/JAVA_VERSION="(\d+)/.exec(fs.readFileSync(file, 'utf8'))?.[1] ?? 0);
}

export class ReferenceServer {
  private constructor(
    readonly url: string,
    private readonly program: Program,
    private readonly folder: string,
  ) {}

  /** With an empty SQLite store. */
  static async start({ java, jar }: { java: string; jar: string }): Promise<ReferenceServer> {
    const folder = createFolder();
    const port = await freePort();
    const file = path.join(folder, 'application.properties');
    const database = path.join(folder, 'conductor.db');
    fs.writeFileSync(
      file,
      [
        ...['db', 'queue', 'indexing'].map((part) => `conductor.${part}.type=sqlite`),
        `spring.datasource.url=jdbc:sqlite:${database}?busy_timeout=5000&journal_mode=WAL`,
        `server.port=${port}`,
        'server.address=127.0.0.1',
      ].join('\n'),
    );
    const program = startProgram(
      java,
      ['-Xmx700m', '-jar', jar, `--spring.config.additional-location=file:${file}`],
      { cwd: folder },
    );
    const server = new ReferenceServer(`http://127.0.0.1:${port}`, program, folder);
    try {
      await until('the reference server', () => server.#serves(), { timeoutMs: startMs });
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  }

  async #serves(): Promise<boolean> {
    if (this.program.hasEnded()) throw new Error(this.program.output().slice(-2000));
    const answer = await fetch(`${this.url}/health`).catch(() => undefined);
    return answer?.ok === true;
  }

  /** The body of an answer that must be a success. */
  async request(method: string, route: string, body?: unknown): Promise<unknown> {
    const answer = await fetch(`${this.url}${route}`, {
      method,
      ...(body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${route} was answered ${answer.status}: ${text}`);
    return answer.headers.get('content-type')?.includes('json') === true ? JSON.parse(text) : text;
  }

  async stop(): Promise<void> {
    signalProcess(this.program.pid, 'SIGKILL');
    await this.program.ended;
    removeFolder(this.folder);
  }
}
