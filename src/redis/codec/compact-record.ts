// A finished execution as one string, which takes half of what its hash would: its head, the two
// header records with their names, then a list of everything else, the fields of
// `execution-fields.ts` in turn. The head comes first because the commit script compares it, the
// headers next because searches read no more. A payload that equals an earlier one (a task's input
// is mostly the output of the one before) is the number of that field.
import { SparseSet } from '../../std/sparse.js';
import type { Execution } from '../../model/execution.js';
import { writeRest } from './execution-fields.js';
import { FieldWriter } from './field-writer.js';
import { writeAttributes, writeProgress } from './header-record.js';
import { KnownTexts } from './known-texts.js';
import type { Packer } from './packer.js';
import { unpackRecord, unpackWhile, type StoredValue, type UnpackedValues } from './record.js';

const format = 1;

/** Bytes in which head and headers of nearly all finished executions fit. */
export const headerBytes = 512;

/** Bytes in which nearly all finished executions have what a summary tells of them. */
export const summaryBytes = 4096;

/** Head, name, attributes, name, progress; then the list. */
const headerValues = 5;
/** A list begins with this byte and its length in four. */
const listCode = 0xdd;
const listHeaderBytes = 5;

export interface CompactHeaders {
  readonly head: string;
  readonly attributes: StoredValue;
  readonly progress: StoredValue;
}

/** Writes it as one argument. */
export function writeCompact(execution: Execution, head: string, packer: Packer): void {
  const string = packer.startString();
  packer.text(head);
  const headers = new FieldWriter(packer);
  writeAttributes(execution.attributes, execution.snapshot.hash, headers);
  writeProgress(execution.state, headers);
  const list = packer.startList();
  packer.number(format);
  const fields = new FieldWriter(packer, new KnownTexts());
  writeRest(execution, new SparseSet(), fields);
  packer.endList(list, 1 + 2 * fields.names.length);
  packer.endString(string);
}

/** undefined when `bytes` are a part of the string that is too short. */
export function readCompactHeaders(bytes: Buffer): CompactHeaders | undefined {
  const found = unpackFirst(bytes, headerValues);
  return found && headersOf(found.values);
}

/**
 * The headers, input and output by name, as far as it has them; undefined when `bytes` are a part
 * of the string that is too short. Input and output are the first fields of the list, so nothing of
 * the tasks behind them is looked at.
 */
export function readCompactSummary(bytes: Buffer): Map<string, StoredValue> | undefined {
  const found = unpackFirst(bytes, headerValues);
  if (found === undefined) return undefined;
  const list = bytes.subarray(found.end);
  if (list.length < listHeaderBytes || list[0] !== listCode) return undefined;
  const length = list.readUInt32BE(1);
  const isSummary = (name: unknown): boolean => name === 'i' || name === 'o';
  const first = unpackWhile(
    list.subarray(listHeaderBytes),
    (values) => values.length < length && (values.length % 2 === 1 || isSummary(values.at(-1))),
  );
  return first && fieldsOf(headersOf(found.values), first.values);
}

/** The fields by name, as those of a hash. */
export function readCompact(bytes: Buffer): { head: string; fields: Map<string, StoredValue> } {
  const values = unpackFirst(bytes, headerValues + 1)?.values ?? [];
  const headers = headersOf(values);
  return { head: headers.head, fields: fieldsOf(headers, values[headerValues] as StoredValue) };
}

/** `rest`: the list, or the beginning of it. */
function fieldsOf(
  { attributes, progress }: CompactHeaders,
  rest: StoredValue,
): Map<string, StoredValue> {
  const fields = new Map<string, StoredValue>();
  fields.set('a', attributes).set('x', progress);
  const list = unpackRecord('compact record', rest, format);
  for (let i = 1; i + 1 < list.length; i += 2) {
    const value = list[i + 1] as StoredValue | number;
    const stored = typeof value === 'number' ? (list[2 * value + 2] as StoredValue) : value;
    fields.set(list[i] as string, stored);
  }
  return fields;
}

function unpackFirst(bytes: Buffer, count: number): UnpackedValues | undefined {
  return unpackWhile(bytes, ({ length }) => length < count);
}

function headersOf(values: readonly unknown[]): CompactHeaders {
  const [head, , attributes, , progress] = values;
  return {
    head: head as string,
    attributes: attributes as StoredValue,
    progress: progress as StoredValue,
  };
}
