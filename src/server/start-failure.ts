// Why a node could not start, in one sentence that names the setting and what to do. An error that
// is not listed here is a defect, and is logged with its stack.
import { SettingError } from '../settings/setting.js';
import type { Settings } from './settings-table.js';
import { AppError } from '../model/errors.js';
import { StoreError } from '../store/execution-store.js';

export function whyNotStarted(error: unknown, settings: Settings): string | undefined {
  const { code, port } = (error ?? {}) as { code?: unknown; port?: unknown };
  if (code === 'EADDRINUSE') {
    const isOfPeers = port === settings.peerPort && port !== settings.port;
    const place = isOfPeers
      ? `${settings.peerPort} of ${settings.peerHost}`
      : `${settings.port} of ${settings.host}`;
    const flag = isOfPeers ? '--peer-port' : '--port';
    return `Port ${place} is taken: stop what listens there, or set ${flag} to a free one.`;
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return `This machine has no address ${settings.host}: set --host to one that it has.`;
  }
  if (code === 'EACCES' || code === 'EPERM') {
    return `${(error as Error).message}: give the server the right to do so, or change --data-dir or --port.`;
  }
  const ofStore = whyNoStore(error, settings);
  if (ofStore !== undefined) return ofStore;
  if (error instanceof SettingError) return error.message;
  if (error instanceof AppError && error.kind !== 'internal') return error.message;
  return undefined;
}

/**
 * 2: a setting cannot be used, at the next start neither, so a supervisor need not try again; 1:
 * every other failure. An address that the machine lacks may come later, as at boot.
 */
export function codeOfFailure(error: unknown): 1 | 2 {
  if (error instanceof SettingError) return 2;
  return error instanceof AppError && error.kind === 'bad-request' ? 2 : 1;
}

/** Why the Redis of `redisUrl` does not serve; undefined for errors of anything else. */
export function whyNoStore(
  error: unknown,
  { redisUrl }: Pick<Settings, 'redisUrl'>,
): string | undefined {
  if (!(error instanceof StoreError) || redisUrl === '') return undefined;
  const said = error.message.replace(/^The store (refused|did not answer for sure): /, '');
  return sentenceOf(said, `Redis at ${withoutPassword(redisUrl)}`);
}

/** `message`: what Redis, TLS or the network said; `redis`: which one, in words. */
function sentenceOf(message: string, redis: string): string {
  if (/\b(NOAUTH|WRONGPASS)\b/.test(message)) {
    return `${redis} refuses this user or password: give the right ones in --redis-url.`;
  }
  if (/\bNOPERM\b/.test(message)) {
    return `${redis} does not give this user the rights that a node needs (${message}): docs/redis.md names them.`;
  }
  if (/No file of Redis confirmed/.test(message)) {
    return `${message}: set its appendfsync to always or everysec, or raise --wait-replicas-ms.`;
  }
  if (/replicas of Redis confirmed/.test(message)) {
    return `${message}: attach more replicas to it, or set --wait-replicas to fewer.`;
  }
  if (/certificate required|handshake failure/.test(message)) {
    return `${redis} asks for a certificate: give one in --redis-tls-cert-file and --redis-tls-key-file.`;
  }
  if (/certificate|ERR_TLS_/.test(message)) {
    return `${redis} shows a certificate that is not trusted (${message}): give its authority in --redis-tls-ca-file, or a name in --redis-url that the certificate is for.`;
  }
  return `${redis} cannot be reached: start it, or set --redis-url to one that runs (empty: the server starts its own).`;
}

export function withoutPassword(url: string): string {
  return url.replace(/\/\/[^@/]*@/, '//');
}
