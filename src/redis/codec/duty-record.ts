// A duty's stored record (field `d<id>` of its execution). What it starts may be large, so its input and definition keep
// the text that they have; the rest is JSON.
import type { Json } from '../../model/json.js';
import { parseJson, toJsonText } from '../../model/json-text.js';
import { Payload } from '../../model/payload.js';
import type { ChildStart, Duty } from '../../model/execution.js';
import { packRecord, unpackRecord } from './record.js';

const format = 1;

export function encodeDuty(duty: Duty): Buffer {
  if (duty.kind !== 'start-child' && duty.kind !== 'start-workflow') {
    return packRecord([format, toJsonText(duty as unknown as Json)]);
  }
  const { request, ...rest } = duty;
  const { input, ...start } = request;
  return packRecord([
    format,
    toJsonText({ ...rest, request: start } as unknown as Json),
    input.text,
  ]);
}

export function decodeDuty(bytes: Uint8Array): Duty {
  const f = unpackRecord('duty record', bytes, format);
  const duty = parseJson(f[1] as string) as unknown as Duty;
  if (duty.kind === 'start-child' || duty.kind === 'start-workflow') {
    (duty.request as ChildStart).input = Payload.ofText(f[2] as string);
  }
  return duty;
}
