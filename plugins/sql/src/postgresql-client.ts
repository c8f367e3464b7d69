// A transaction on PostgreSQL through `pg`, loaded at first use. Each has a connection of its own,
// which the guard of outgoing connections opens (invariants S1) and which ends with it.
import type { Duplex } from 'node:stream';
import type { Client } from 'pg';
import { wholeNumber, type DatabaseTarget, type SqlLimits } from './database.js';

export type OpenSocket = () => Duplex;

export interface PostgresqlSession extends Pick<SqlLimits, 'timeMsMax' | 'signal'> {
  readonly target: DatabaseTarget;
  readonly open: OpenSocket;
}

/** Type numbers whose texts become numbers: int8 and numeric. */
const int8 = 20;
const numeric = 1700;

/** Commits when `work` fulfils; else the database takes back what it did. */
export async function inTransaction<T>(
  session: PostgresqlSession,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const { signal, timeMsMax } = session;
  const client = await createClient(session);
  // An error beside a query ends the connection; the query under way rejects by itself.
  client.on('error', () => undefined);
  const stop = (): void => void client.end().catch(() => undefined);
  signal.addEventListener('abort', stop, { once: true });
  try {
    await client.connect();
    await client.query('BEGIN');
    await client.query(`SET LOCAL statement_timeout = ${timeMsMax}`);
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } finally {
    signal.removeEventListener('abort', stop);
    await client.end().catch(() => undefined);
  }
}

async function createClient({ target, open, timeMsMax }: PostgresqlSession): Promise<Client> {
  const { default: pg } = await import('pg');
  return new pg.Client({
    user: target.user,
    password: target.password,
    database: target.database,
    host: target.host,
    port: target.port,
    ...(target.usesTls ? { ssl: { servername: target.host } } : { ssl: false }),
    // The library asks the socket to connect, which it does already.
    stream: () => Object.assign(open(), { connect: () => undefined }),
    connectionTimeoutMillis: timeMsMax,
    query_timeout: timeMsMax,
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') => {
        if (oid === int8) return wholeNumber;
        if (oid === numeric) return decimal;
        return pg.types.getTypeParser(oid, format as 'text') as (value: string) => unknown;
      },
    },
  });
}

/** A number where it keeps its value, else the text. */
function decimal(text: string): number | string {
  const number = Number(text);
  return Number.isFinite(number) && Math.abs(number) < 1e15 && text.length <= 16 ? number : text;
}
