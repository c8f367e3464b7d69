// An outbox message's stored record (field `d<id>` of its execution). The child that it starts may
// be large, so its input and definition keep the text that they have; the rest is JSON.
import { parseOwnJson, toJsonText } from '../../model/json-text.js';
import { Payload } from '../../model/payload.js';
import type { ChildStart, OutboxMessage } from '../../model/execution.js';
import type { FieldWriter } from './field-writer.js';
import { unpackRecord, type StoredValue } from './record.js';

const format = 1;

export function writeMessage(message: OutboxMessage, fields: FieldWriter): void {
  const name = `d${message.id}`;
  if (message.kind !== 'start-child' && message.kind !== 'start-workflow') {
    const packer = fields.start(name, 2);
    packer.number(format);
    packer.text(toJsonText(message));
    return fields.end();
  }
  const { request, ...rest } = message;
  const { input, ...start } = request;
  const packer = fields.start(name, 3);
  packer.number(format);
  packer.text(toJsonText({ ...rest, request: start }));
  packer.text(input.text);
  fields.end();
}

export function decodeMessage(record: StoredValue): OutboxMessage {
  const f = unpackRecord('message record', record, format);
  const message = parseOwnJson<Written<OutboxMessage>>(f[1] as string);
  if (!('request' in message)) return message;
  return { ...message, request: { ...message.request, input: Payload.ofText(f[2] as string) } };
}

/** A message as its JSON says it: without the input, which stands beside it. */
type Written<M> = M extends { request: ChildStart }
  ? Omit<M, 'request'> & { request: Omit<ChildStart, 'input'> }
  : M;
