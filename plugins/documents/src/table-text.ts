// A table (CSV, tab-separated values) as text: a line for each record that names the columns, so
// that a part of the text can be read alone.
import { parse } from 'csv-parse/sync';

/** Throws an Error that tells where the bytes are no table. */
export function tableText(bytes: Uint8Array, delimiter: ',' | '\t'): string {
  const records: { [column: string]: string }[] = parse(Buffer.from(bytes), {
    columns: true,
    delimiter,
    bom: true,
    relax_column_count: true,
    skip_empty_lines: true,
    trim: true,
  });
  return records
    .map((record) =>
      Object.entries(record)
        .map(([column, value]) => `${column}: ${value}`)
        .join(', '),
    )
    .join('\n');
}
