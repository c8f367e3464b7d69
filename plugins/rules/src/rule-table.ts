// Rule files of BUSINESS_RULE (semantics 4.23): the first row names the columns, each other row is
// a rule. CSV as in RFC 4180; of a spreadsheet its first sheet. Files come from strangers, so their
// size is limited before and after they are unpacked.
import type { Json } from '@downbeat/plugin';
import { readZip } from './zip.js';

export type Cell = Exclude<Json, object> | null;

export interface RuleTable {
  /** Index of a column by its name. */
  readonly columns: ReadonlyMap<string, number>;
  readonly rows: readonly (readonly Cell[])[];
}

export type RuleFormat = 'csv' | 'xlsx';

/** Bytes of a rule file. */
export const ruleFileBytesMax = 2 * 1024 * 1024;
const unpackedBytesMax = 16 * 1024 * 1024;
const cellsMax = 500_000;

/** The file cannot be read; the message is fit to be shown. */
export class RuleFileError extends Error {}

const spreadsheetType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** By the name of the file, else by its content type; undefined: neither says. */
export function ruleFormatOf(url: URL, contentType: string): RuleFormat | undefined {
  const extension = /\.(\w+)$/.exec(url.pathname)?.[1]?.toLowerCase();
  if (extension === 'csv' || extension === 'xlsx') return extension;
  if (extension === 'xls') throw new RuleFileError('files of the form xls are not read: use xlsx');
  if (contentType.startsWith('text/csv')) return 'csv';
  return contentType.startsWith(spreadsheetType) ? 'xlsx' : undefined;
}

/** Rejects with RuleFileError. */
export async function readRuleTable(content: Buffer, format: RuleFormat): Promise<RuleTable> {
  if (content.length > ruleFileBytesMax) {
    throw new RuleFileError(`it has more than ${ruleFileBytesMax} bytes`);
  }
  const [header, ...rows] = format === 'csv' ? readCsv(content) : await readSpreadsheet(content);
  if (header === undefined) throw new RuleFileError('it has no row with the names of columns');
  const columns = new Map(header.map((name, index) => [String(name ?? '').trim(), index]));
  return { columns, rows };
}

/** The library is loaded at first use. It gets an archive whose sizes are known to be true. */
async function readSpreadsheet(content: Buffer): Promise<Cell[][]> {
  try {
    const entries = await readZip(content, unpackedBytesMax);
    const { zipSync } = await import('fflate');
    const { readSheet } = await import('read-excel-file/universal');
    const archive = zipSync(Object.fromEntries(entries), { level: 0 });
    const rows: unknown[][] = await readSheet(archive.buffer as ArrayBuffer);
    if (rows.length * (rows[0]?.length ?? 0) > cellsMax) {
      throw new RuleFileError(`it has more than ${cellsMax} cells`);
    }
    return rows.map((row) => row.map(toCell));
  } catch (cause) {
    if (cause instanceof RuleFileError) throw cause;
    throw new RuleFileError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

function toCell(value: unknown): Cell {
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  return value === null || value === undefined ? null : String(value);
}

function readCsv(content: Buffer): Cell[][] {
  const text = content.toString('utf8').replace(/^\uFEFF/, '');
  const rows: Cell[][] = [];
  let row: Cell[] = [];
  let cells = 0;
  for (const [, quoted, plain, end] of text.matchAll(csvCell)) {
    if (++cells > cellsMax) throw new RuleFileError(`it has more than ${cellsMax} cells`);
    row.push(quoted === undefined ? (plain ?? '').trim() : quoted.replaceAll('""', '"'));
    if (end === ',') continue;
    if (row.length > 1 || row[0] !== '') rows.push(row);
    row = [];
    if (end === '') break;
  }
  return rows;
}

/** A cell with what ends it: a comma, a line break or the end of the file. */
const csvCell = /(?:[ \t]*"((?:[^"]|"")*)"[ \t]*|([^,\r\n]*))(,|\r?\n|\r|$)/g;
