// One statement on a SQLite file, in a transaction: taken back when it fails, or changes another
// number of rows than was expected.
import sqlite from 'node-sqlite3-wasm';
import type { JsonMap } from '../../model/json.js';
import type { HeavyResults, SqliteJob } from './job.js';

/** Throws an Error that tells why nothing was changed. */
export function runSqlite(job: SqliteJob): HeavyResults['sqlite'] {
  const database = new sqlite.Database(job.file, { fileMustExist: true, readOnly: job.isQuery });
  try {
    if (job.isQuery) return { rows: rowsOf(database, job) };
    database.exec('BEGIN IMMEDIATE');
    const { changes } = database.run(job.statement, [...job.parameters]);
    checkCount(job, changes);
    database.exec('COMMIT');
    return { count: changes };
  } finally {
    // What was not committed is taken back.
    database.close();
  }
}

function rowsOf(database: sqlite.Database, job: SqliteJob): JsonMap[] {
  const rows: JsonMap[] = [];
  const statement = database.prepare(job.statement);
  try {
    for (const row of statement.iterate([...job.parameters])) {
      if (rows.length === job.rowsMax) {
        throw new Error(`The statement gives more than ${job.rowsMax} rows (sqlRowsMax)`);
      }
      rows.push(toRow(row as { [column: string]: sqlite.SQLiteValue }));
    }
  } finally {
    statement.finalize();
  }
  return rows;
}

function toRow(row: { [column: string]: sqlite.SQLiteValue }): JsonMap {
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => [
      column,
      value instanceof Uint8Array ? Buffer.from(value).toString('base64') : (value as string),
    ]),
  );
}

function checkCount({ expectedCount }: SqliteJob, count: number): void {
  if (expectedCount === undefined || count === expectedCount) return;
  throw new Error(`The statement changed ${count} rows, ${expectedCount} were expected`);
}
