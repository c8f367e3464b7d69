// Classifies a failed call to Redis (invariants M3). Only replies that Redis gives before it
// touches anything prove that nothing was applied; a time-out, a lost connection and everything
// else are unclear.
import { StoreError } from '../store/execution-store.js';

const refusalsBeforeAnything =
  /^(MOVED|ASK|TRYAGAIN|CLUSTERDOWN|READONLY|NOSCRIPT|LOADING|BUSY|MISCONF|NOREPLICAS|OOM|NOAUTH|NOPERM|WRONGPASS|MASTERDOWN)\b/;
/** The text names a script and a line: the error came from inside, after writes perhaps. */
const fromInsideAScript = /script: |user_script|@user_script/;
/** The client refused to send because it has no connection (no offline queue). */
const neverSent = /Stream isn't writeable|enableOfflineQueue|None of startup nodes is available/;

/**
 * Turns any error of a Redis call into a StoreError; a StoreError stays as it is. The client's
 * error is not kept as a cause: it carries the command with its arguments, and with them what users
 * have stored.
 */
export function toStoreError(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const message = messageOf(error);
  const refused = refusalsBeforeAnything.test(message) && !fromInsideAScript.test(message);
  if (refused || neverSent.test(message)) {
    return new StoreError('not-applied', `The store refused: ${message}`);
  }
  return new StoreError('unclear', `The store did not answer for sure: ${message}`);
}

/** Of a cluster what its server said, and of the system and of TLS their code too. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, lastNodeError } = error as { code?: unknown; lastNodeError?: unknown };
  if (lastNodeError instanceof Error) return `${error.message} (${messageOf(lastNodeError)})`;
  const isNew = typeof code === 'string' && !error.message.includes(code);
  return isNew ? `${error.message} (${code})` : error.message;
}

/** The key holds something of another type than the command is for. */
export function isWrongType(error: unknown): boolean {
  return error instanceof Error && error.message.includes('WRONGTYPE');
}

export function isNoScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT');
}

/** The client says only that its connection has ended, not why. */
export function isClosed(error: Error): boolean {
  return messageOf(error).includes('Connection is closed');
}

/** The user of the connection may not do that. */
export function isRightMissing(error: unknown): boolean {
  return error instanceof Error && error.message.includes('NOPERM');
}
