// The payload that a call gives to workflows (contract-admin 12.3): its JSON body as an object, and
// its query parameters at top level, which win.
import { type Json, type JsonMap, setOwn } from '../../model/json.js';
import { parseJson } from '../../model/json-text.js';
import type { WebhookEvent } from './webhook.js';

/** The payload of an event: an input of workflows and an output of tasks. */
export function payloadOf(
  event: Pick<WebhookEvent, 'body' | 'contentType' | 'requestParams'>,
): JsonMap {
  const payload = bodyOf(event.body, event.contentType);
  for (const [name, values] of Object.entries(event.requestParams)) {
    setOwn(payload, name, values.length === 1 ? (values[0] as string) : [...values]);
  }
  return payload;
}

function bodyOf(body: string, contentType: string): JsonMap {
  if (body.trim() === '') return {};
  if (contentType.includes('application/x-www-form-urlencoded')) return formOf(body);
  let value: Json;
  try {
    value = parseJson(body);
  } catch {
    return { request: body };
  }
  const isMap = value !== null && typeof value === 'object' && !Array.isArray(value);
  return isMap ? { ...(value as JsonMap) } : { request: value };
}

function formOf(body: string): JsonMap {
  const form: JsonMap = {};
  const fields = new URLSearchParams(body);
  for (const name of new Set(fields.keys())) {
    const values = fields.getAll(name);
    setOwn(form, name, values.length === 1 ? (values[0] as string) : values);
  }
  return form;
}
