// GET routes that change something, as the contract spells them: schedules are paused, tasks are
// polled, calls of webhooks taken. Links and images of other sites make a browser send a GET with
// the session's cookie, so for a cookie they count as the changes that they are
// (session-cookie.ts), and HEAD, which asks for nothing but the head of an answer, is not served on
// them.
import { auditRuleOf, type Endpoint } from './endpoint.js';

/** Whether a GET of this endpoint does more than read. */
export function hasEffects(endpoint: Pick<Endpoint, 'method' | 'audit'>): boolean {
  const rule = auditRuleOf(endpoint);
  return rule !== 'reads' && rule !== 'secret-reads';
}
