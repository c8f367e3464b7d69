// The program of a process that carries out one statement on a SQLite file, in a transaction: taken
// back when it fails, or changes another number of rows than was expected.
import sqlite from 'node-sqlite3-wasm';
import type { JsonMap } from '@downbeat/plugin';
import { checkCount, tooManyRows, toRow, type SqlResult } from './database.js';

/** One statement on a SQLite file. */
export interface SqliteOrder {
  readonly file: string;
  readonly statement: string;
  readonly parameters: readonly (string | number | bigint | null)[];
  readonly isQuery: boolean;
  readonly rowsMax: number;
  /** Rows that must be changed, else everything is taken back; undefined: any number. */
  readonly expectedCount: number | undefined;
}

/** Throws an Error that tells why nothing was changed. */
export function run(job: SqliteOrder): SqlResult {
  const database = new sqlite.Database(job.file, { fileMustExist: true, readOnly: job.isQuery });
  try {
    if (job.isQuery) return { rows: rowsOf(database, job) };
    database.exec('BEGIN IMMEDIATE');
    const { changes } = database.run(job.statement, [...job.parameters]);
    checkCount(job, changes);
    database.exec('COMMIT');
    return { count: changes };
  } finally {
    // Takes back writes that were not committed.
    database.close();
  }
}

function rowsOf(database: sqlite.Database, job: SqliteOrder): JsonMap[] {
  const rows: JsonMap[] = [];
  const statement = database.prepare(job.statement);
  try {
    for (const row of statement.iterate([...job.parameters])) {
      if (rows.length === job.rowsMax) {
        throw tooManyRows(job.rowsMax);
      }
      rows.push(toRow(row));
    }
  } finally {
    statement.finalize();
  }
  return rows;
}
