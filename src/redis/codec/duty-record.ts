// A duty's stored record (field `d<id>` of its execution). What it starts may be large, so its input and definition keep
// the text that they have; the rest is JSON.
import type { Json } from '../../model/json.js';
import { parseJson, toJsonText } from '../../model/json-text.js';
import { Payload } from '../../model/payload.js';
import type { ChildStart, Duty } from '../../model/execution.js';
import { NestedRecord } from './envelope.js';
import { unpackRecord } from './record.js';

const format = 1;

export function encodeDuty(duty: Duty): NestedRecord {
  if (duty.kind !== 'start-child' && duty.kind !== 'start-workflow') {
    const text = toJsonText(duty as unknown as Json);
    return new NestedRecord([format, text], text.length);
  }
  const { request, ...rest } = duty;
  const { input, ...start } = request;
  const text = toJsonText({ ...rest, request: start } as unknown as Json);
  return new NestedRecord([format, text, input.text], text.length + input.text.length);
}

export function decodeDuty(bytes: Uint8Array): Duty {
  const f = unpackRecord('duty record', bytes, format);
  const duty = parseJson(f[1] as string) as unknown as Duty;
  if (duty.kind === 'start-child' || duty.kind === 'start-workflow') {
    (duty.request as ChildStart).input = Payload.ofText(f[2] as string);
  }
  return duty;
}
