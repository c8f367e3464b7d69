// MySQL and MariaDB through `mysql2`, loaded at first use. Rows are streamed, so that a statement
// with more of them than the limit does not fill the memory.
import type { Duplex } from 'node:stream';
import type { Connection, ResultSetHeader } from 'mysql2';
import type { JsonMap } from '@downbeat/plugin';
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

export async function runMysql(
  target: DatabaseTarget,
  statement: SqlStatement,
  limits: SqlLimits,
  open: () => Duplex,
): Promise<SqlResult> {
  const { default: mysql } = await import('mysql2');
  // A query under way is not always told that its connection has ended.
  let fail: (error: Error) => void = () => undefined;
  const ended = new Promise<never>((_, reject) => (fail = reject));
  // It may end after the answer, when nobody asks any more.
  ended.catch(() => undefined);
  const stream = (): Duplex =>
    open()
      .once('error', fail)
      .once('close', () => fail(new Error('The database ended the connection')));
  const connection = mysql.createConnection({
    user: target.user,
    password: target.password,
    database: target.database,
    host: target.host,
    port: target.port,
    ...(target.usesTls ? { ssl: {} } : {}),
    stream,
    connectTimeout: limits.timeMsMax,
    supportBigNumbers: true,
    bigNumberStrings: true,
    typeCast: (field, next) => (field.type === 'LONGLONG' ? wholeOf(field.string()) : next()),
  });
  const stop = (why: string): void => {
    fail(new Error(why));
    connection.destroy();
  };
  const cancel = (): void => stop('The task was cancelled');
  limits.signal.addEventListener('abort', cancel, { once: true });
  const late = `The database has not answered in ${limits.timeMsMax} ms`;
  const timer = setTimeout(() => stop(late), limits.timeMsMax);
  try {
    connection.on('error', fail);
    return await Promise.race([ended, inTransaction(connection, statement, limits)]);
  } finally {
    clearTimeout(timer);
    limits.signal.removeEventListener('abort', cancel);
    connection.destroy();
  }
}

async function inTransaction(
  connection: Connection,
  statement: SqlStatement,
  { rowsMax }: SqlLimits,
): Promise<SqlResult> {
  await ask(connection, 'START TRANSACTION', []);
  if (statement.isQuery) return { rows: await rowsOf(connection, statement, rowsMax) };
  const { affectedRows } = await ask(connection, statement.text, statement.parameters);
  checkCount(statement, affectedRows);
  await ask(connection, 'COMMIT', []);
  return { count: affectedRows };
}

function ask(
  connection: Connection,
  text: string,
  values: readonly unknown[],
): Promise<ResultSetHeader> {
  return new Promise((resolve, reject) => {
    connection.query(text, [...values], (error, result) => {
      if (error === null) resolve(result as ResultSetHeader);
      else reject(error);
    });
  });
}

function rowsOf(
  connection: Connection,
  { text, parameters }: SqlStatement,
  rowsMax: number,
): Promise<JsonMap[]> {
  return new Promise((resolve, reject) => {
    const rows: JsonMap[] = [];
    const query = connection.query(text, [...parameters]);
    query.on('error', reject);
    query.on('result', (row: object) => {
      if (rows.length === rowsMax) reject(tooManyRows(rowsMax));
      else rows.push(toRow(row));
    });
    query.on('end', () => resolve(rows));
  });
}

function wholeOf(digits: string | null): number | bigint | null {
  return digits === null ? null : wholeNumber(digits);
}
