// GET routes that change something, as the contract spells them: schedules are paused, tasks are
// polled, calls of webhooks taken. Links and images of other sites make a browser send a GET with
// the session's cookie, so for a cookie they count as the changes that they are
// (session-cookie.ts), and HEAD, which asks for nothing but the head of an answer, is not served on
// them.
import type { Endpoint } from './endpoint.js';
import { changingGets } from './audit.js';

/** Those that the audit log does not record: workers and platforms call them all the time. */
export const routineGets: ReadonlySet<string> = new Set([
  'clearLocalCacheOfSecrets',
  'clearRedisCacheOfSecrets',
  'finishSignInWithProvider',
  'pollTask',
  'pollTasks',
  'receiveWebhookPing',
  'receiveWebhookPingBelowApi',
  'signInWithProvider',
]);

/** Whether a GET of this endpoint does more than read. */
export function hasEffects({ name }: Pick<Endpoint, 'name'>): boolean {
  return changingGets.has(name) || routineGets.has(name);
}
