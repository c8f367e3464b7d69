// The record of one call of a webhook (contract-admin 12.1).
import type { WebhookEvent, WebhookHistoryEntry } from './webhook.js';
import type { Dispatched } from './dispatch-event.js';

/** Characters of a body, and ids, that one entry keeps. */
const bodyCharsMax = 32_768;
const workflowIdsMax = 1000;
/** Reasons of one entry, and characters of each. */
const reasonsMax = 20;
const reasonCharsMax = 2000;
/** Values that prove who calls do not stand in a history. */
const hiddenHeaders = /authorization|signature|cookie|secret|token|api-?key/i;

/** No ids of executions: the call changed nothing. */
export function historyEntryOf(
  event: WebhookEvent,
  { workflowIds, reasons }: Dispatched,
): WebhookHistoryEntry {
  const { id, webhookId, receivedAt, headers, requestParams, body } = event;
  const shownHeaders = Object.entries(headers).map(([name, values]) => [
    name,
    hiddenHeaders.test(name) ? ['***'] : values,
  ]);
  const payload = {
    webhookId,
    headers: Object.fromEntries(shownHeaders) as object,
    requestParams,
    id,
    timeStamp: receivedAt,
    body: body.slice(0, bodyCharsMax),
  };
  return {
    eventId: id,
    matched: workflowIds.length > 0,
    workflowIds: workflowIds.slice(0, workflowIdsMax),
    payload: JSON.stringify(payload),
    timeStamp: receivedAt,
    ...(reasons.length === 0
      ? {}
      : { reasons: reasons.slice(0, reasonsMax).map((text) => text.slice(0, reasonCharsMax)) }),
  };
}
