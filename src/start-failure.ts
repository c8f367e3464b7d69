// Why a node could not start, in one sentence that names the setting and what to do. What is not
// listed here is a defect, and is logged with its stack.
import type { Settings } from './settings-table.js';
import { AppError } from './model/errors.js';
import { StoreError } from './store/execution-store.js';

export function whyNotStarted(error: unknown, settings: Settings): string | undefined {
  const code = (error as { code?: unknown } | undefined)?.code;
  if (code === 'EADDRINUSE') {
    return `Port ${settings.port} of ${settings.host} is taken: stop what listens there, or set --port to a free one.`;
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return `This machine has no address ${settings.host}: set --host to one that it has.`;
  }
  if (code === 'EACCES' || code === 'EPERM') {
    return `${(error as Error).message}: give the server the right to do so, or change --data-dir or --port.`;
  }
  if (error instanceof StoreError && settings.redisUrl !== '') {
    if (/\b(NOAUTH|WRONGPASS|NOPERM)\b/.test(error.message)) {
      return `Redis at ${withoutPassword(settings.redisUrl)} refuses this user or password: give the right ones in --redis-url.`;
    }
    if (/replicas of Redis confirmed/.test(error.message)) {
      return `${error.message}: attach more replicas to it, or set --wait-replicas to fewer.`;
    }
    return `Redis at ${withoutPassword(settings.redisUrl)} cannot be reached: start it, or set --redis-url to one that runs (empty: the server starts its own).`;
  }
  if (error instanceof AppError && error.kind !== 'internal') return error.message;
  return undefined;
}

function withoutPassword(url: string): string {
  return url.replace(/\/\/[^@/]*@/, '//');
}
