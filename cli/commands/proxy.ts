// `downbeat proxy --old URL --new URL`: one address for two servers while workers move.
import fs from 'node:fs';
import type { Command } from 'commander';
import { TwoServers } from '../proxy/proxy.js';
import { Side } from '../proxy/side.js';
import { ApiClient } from '../shared/api-client.js';
import type { Context, Exit } from '../shared/context.js';
import { badInput, exitCodes, Failure } from '../shared/failure.js';
import { wholeNumber } from '../shared/given-json.js';
import { rootOf } from '../shared/profiles.js';

interface ProxyOptions {
  readonly old?: string;
  readonly new?: string;
  readonly oldKey?: string;
  readonly host: string;
  readonly port: string;
  readonly starts: string;
  readonly history?: string;
}

export function addProxy(
  program: Command,
  contextOf: (command: Command) => Context,
  exit: Exit,
): void {
  program
    .command('proxy')
    .helpGroup('The server:')
    .summary('one address for two servers while workers move from one to the other')
    .description(
      'Polls ask both servers, a report goes to the one that has the task, a call about an execution to the one that has it, lists and searches show both, starts and all else go to the new one. GET /proxy/status counts what went where. It stores nothing.',
    )
    .option('--old <url>', 'the server that is left')
    .option('--new <url>', 'the server that is moved to')
    .option(
      '--old-key <id>',
      'key for calls to the old server, with its secret in CONDUCTOR_OLD_AUTH_SECRET; without it the token of the caller goes to both',
    )
    .option('--host <address>', 'address to listen at', '127.0.0.1')
    .option('--port <number>', 'port to listen at; 0: a free one', '8090')
    .option('--starts <old|new>', 'where new executions start', 'new')
    .option('--history <folder>', 'finished executions that import --history wrote')
    .action(async (options: ProxyOptions, command: Command) => {
      exit(await serve(contextOf(command), options));
    });
}

async function serve({ out, env, interrupted }: Context, options: ProxyOptions): Promise<number> {
  const { starts, history } = options;
  if (options.old === undefined || options.new === undefined)
    throw badInput('Name both servers: --old URL --new URL.');
  if (starts !== 'old' && starts !== 'new')
    throw badInput(`--starts is old or new, not '${starts}'.`);
  const [oldRoot, newRoot] = [rootOf(options.old), rootOf(options.new)];
  if (oldRoot === newRoot) throw badInput('--old and --new are the same server.');
  const port = wholeNumber(options.port, '--port', 0, 65_535);
  if (history !== undefined && !fs.existsSync(history))
    throw badInput(
      `--history: there is no folder ${history}; downbeat import --history writes one.`,
    );
  const token = tokenOf(options.oldKey, oldRoot, env);
  const proxy = new TwoServers({
    old: new Side('old', oldRoot, token),
    new: new Side('new', newRoot),
    startsOn: starts,
    history,
  });
  const server = proxy.server();
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(new Failure(`${options.host}:${port} cannot be listened at (${error.code}).`));
    });
    server.listen(port, options.host, resolve);
  });
  const address = server.address();
  const at = typeof address === 'object' && address !== null ? address.port : port;
  out.line(`http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${at}`);
  out.note(`Polls ask ${oldRoot} and ${newRoot}; new executions start on the ${starts} one.`);
  await new Promise<void>((resolve) => {
    if (interrupted.aborted) resolve();
    interrupted.addEventListener('abort', () => resolve());
  });
  server.close();
  server.closeIdleConnections();
  return exitCodes.done;
}

/** Tokens of the proxy's own key at the old server. */
function tokenOf(
  keyId: string | undefined,
  root: string,
  env: NodeJS.ProcessEnv,
): ((isRefused: boolean) => Promise<string | undefined>) | undefined {
  if (keyId === undefined) return undefined;
  const keySecret = env['CONDUCTOR_OLD_AUTH_SECRET'] ?? '';
  if (keySecret === '') throw badInput('Set CONDUCTOR_OLD_AUTH_SECRET to the secret of --old-key.');
  const options = { address: '--old', key: '--old-key and CONDUCTOR_OLD_AUTH_SECRET' };
  let known: Promise<string | undefined> | undefined;
  return (isRefused) => {
    if (isRefused) known = undefined;
    known ??= new ApiClient({ root, options })
      .post('/api/token', { keyId, keySecret })
      .then((answer) => {
        const { token } = (answer ?? {}) as { token?: unknown };
        return typeof token === 'string' ? token : undefined;
      })
      .catch((error: unknown) => {
        known = undefined;
        throw error;
      });
    return known;
  };
}
