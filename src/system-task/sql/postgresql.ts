// PostgreSQL through `pg`, loaded at first use. Rows come through a cursor, so that a statement
// with more of them than the limit does not fill the memory.
import type { Duplex } from 'node:stream';
import type { JsonMap } from '../../model/json.js';
import {
  checkCount,
  tooManyRows,
  toRow,
  wholeNumber,
  type DatabaseTarget,
  type SqlLimits,
  type SqlResult,
  type SqlStatement,
} from './database.js';
import { numberedPlaceholders } from './sql-text.js';

/** Type numbers whose texts become numbers: int8 and numeric. */
const int8 = 20;
const numeric = 1700;

export async function runPostgresql(
  target: DatabaseTarget,
  statement: SqlStatement,
  limits: SqlLimits,
  open: () => Duplex,
): Promise<SqlResult> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({
    user: target.user,
    password: target.password,
    database: target.database,
    host: target.host,
    port: target.port,
    ...(target.usesTls ? { ssl: { servername: target.host } } : { ssl: false }),
    // The library asks the socket to connect, which it does already.
    stream: () => Object.assign(open(), { connect: () => undefined }),
    connectionTimeoutMillis: limits.timeMsMax,
    query_timeout: limits.timeMsMax,
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') => {
        if (oid === int8) return wholeNumber;
        if (oid === numeric) return decimal;
        return pg.types.getTypeParser(oid, format as 'text') as (value: string) => unknown;
      },
    },
  });
  // An error beside a query ends the connection; the query under way rejects by itself.
  client.on('error', () => undefined);
  const stop = (): void => void client.end().catch(() => undefined);
  limits.signal.addEventListener('abort', stop, { once: true });
  try {
    await client.connect();
    await client.query('BEGIN');
    await client.query(`SET LOCAL statement_timeout = ${limits.timeMsMax}`);
    const text = numberedPlaceholders(statement.text);
    const values = [...statement.parameters];
    if (statement.isQuery) {
      await client.query(`DECLARE found NO SCROLL CURSOR FOR ${text}`, values);
      const { rows } = await client.query<JsonMap>(`FETCH ${limits.rowsMax + 1} FROM found`);
      if (rows.length > limits.rowsMax) throw tooManyRows(limits.rowsMax);
      return { rows: rows.map(toRow) };
    }
    const { rowCount } = await client.query(text, values);
    checkCount(statement, rowCount ?? 0);
    await client.query('COMMIT');
    return { count: rowCount ?? 0 };
  } finally {
    limits.signal.removeEventListener('abort', stop);
    await client.end().catch(() => undefined);
  }
}

/** A number where it keeps its value, else the text. */
function decimal(text: string): number | string {
  const number = Number(text);
  return Number.isFinite(number) && Math.abs(number) < 1e15 && text.length <= 16 ? number : text;
}
