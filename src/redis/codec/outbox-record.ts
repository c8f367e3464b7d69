// An outbox message's stored record (field `d<id>` of its execution). What it starts may be large,
// so its input and definition keep the text that they have; the rest is JSON.
import type { Json } from '../../model/json.js';
import { parseJson, toJsonText } from '../../model/json-text.js';
import { Payload } from '../../model/payload.js';
import type { ChildStart, OutboxMessage } from '../../model/execution.js';
import { NestedRecord } from './envelope.js';
import { unpackRecord } from './record.js';

const format = 1;

export function encodeMessage(message: OutboxMessage): NestedRecord {
  if (message.kind !== 'start-child' && message.kind !== 'start-workflow') {
    const text = toJsonText(message as unknown as Json);
    return new NestedRecord([format, text], text.length);
  }
  const { request, ...rest } = message;
  const { input, ...start } = request;
  const text = toJsonText({ ...rest, request: start } as unknown as Json);
  return new NestedRecord([format, text, input.text], text.length + input.text.length);
}

export function decodeMessage(bytes: Uint8Array): OutboxMessage {
  const f = unpackRecord('message record', bytes, format);
  const message = parseJson(f[1] as string) as unknown as OutboxMessage;
  if (message.kind === 'start-child' || message.kind === 'start-workflow') {
    (message.request as ChildStart).input = Payload.ofText(f[2] as string);
  }
  return message;
}
