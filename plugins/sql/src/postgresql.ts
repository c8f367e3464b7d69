// A statement of a JDBC task on PostgreSQL. Rows come through a cursor, so that a statement with
// more of them than the limit does not fill the memory.
import type { Client } from 'pg';
import type { JsonMap } from '@downbeat/plugin';
import {
  checkCount,
  tooManyRows,
  toRow,
  type DatabaseTarget,
  type SqlLimits,
  type SqlResult,
  type SqlStatement,
} from './database.js';
import { inTransaction, type OpenSocket } from './postgresql-client.js';
import { numberedPlaceholders } from './sql-text.js';

export async function runPostgresql(
  target: DatabaseTarget,
  statement: SqlStatement,
  limits: SqlLimits,
  open: OpenSocket,
): Promise<SqlResult> {
  return await inTransaction({ target, open, ...limits }, (client) =>
    carryOut(client, statement, limits.rowsMax),
  );
}

async function carryOut(
  client: Client,
  statement: SqlStatement,
  rowsMax: number,
): Promise<SqlResult> {
  const text = numberedPlaceholders(statement.text);
  const values = [...statement.parameters];
  if (statement.isQuery) {
    await client.query(`DECLARE found NO SCROLL CURSOR FOR ${text}`, values);
    const { rows } = await client.query<JsonMap>(`FETCH ${rowsMax + 1} FROM found`);
    if (rows.length > rowsMax) throw tooManyRows(rowsMax);
    return { rows: rows.map(toRow) };
  }
  const { rowCount } = await client.query(text, values);
  checkCount(statement, rowCount ?? 0);
  return { count: rowCount ?? 0 };
}
