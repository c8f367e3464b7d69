// An index in a PostgreSQL database with the extension pgvector (contract-admin 14.3, pgvectordb).
// Each index and namespace is a table of its own, made when the first document is stored, so that
// an approximate search never loses its results to a filter. A document is replaced in one
// transaction.
import type { Client } from 'pg';
import {
  isMap,
  type JsonMap,
  parseJson,
  FinalFailure,
  OutboundError,
  configured,
  required,
  type OpenIntegration,
  foundPiece,
  type VectorDocument,
  type VectorIndex,
  type VectorPlace,
  type VectorStoreKind,
  type VectorStoreServices,
} from '@downbeat/plugin';
import { inTransaction, type PostgresqlSession } from './postgresql-client.js';
import { parseDatabaseAddress } from './sql-text.js';

/** Operator, its class for approximate indexes, and the score that a distance stands for. */
const measures = {
  cosine: { operator: '<=>', operators: 'vector_cosine_ops', score: (d: number) => 1 - d },
  'inner-product': { operator: '<#>', operators: 'vector_ip_ops', score: (d: number) => -d },
  euclidean: { operator: '<->', operators: 'vector_l2_ops', score: (d: number) => 1 / (1 + d) },
} as const satisfies Record<VectorPlace['measure'], object>;

const methods = ['hnsw', 'ivfflat', 'none'] as const;
/** Bytes of a table's name that PostgreSQL tells apart. */
const nameBytesMax = 63;
/** Candidates that the approximate search may be told to look at. */
const candidatesMax = 1000;
const candidatesMin = 40;
/** Lists of an ivfflat index where the integration says nothing. */
const listsDefault = 100;
/** Classes of errors that another attempt would meet again: data, syntax or right, limits. */
const finalErrors = /^(?:0A|22|42|54)/;
const undefinedTable = '42P01';

/** The vectors of integrations of the type pgvectordb. */
export const pgvectorStore: VectorStoreKind = {
  providerType: 'pgvectordb',
  open: createPgvectorIndex,
};

function createPgvectorIndex(
  { sockets, requestTimeMsMax: timeMsMax }: VectorStoreServices,
  integration: OpenIntegration,
  { index, namespace, measure, signal }: VectorPlace,
): VectorIndex {
  const address = parseDatabaseAddress(required(integration, 'datasourceURL'));
  if (address.kind !== 'postgresql') {
    throw new FinalFailure(
      `The datasourceURL of ${integration.name} must begin with jdbc:postgresql:`,
    );
  }
  const user = configured(integration, 'user');
  const target = { ...address, user, password: configured(integration, 'password') };
  const open = (): ReturnType<typeof sockets.open> => sockets.open(target.host, target.port);
  return new PgvectorIndex(
    { target, open, timeMsMax, signal },
    {
      table: tableName(index, namespace),
      kind: measure,
      method: methodOf(integration),
      lists: Math.trunc(Number(configured(integration, 'inverted_list_count'))) || listsDefault,
      dimensions: Math.trunc(Number(configured(integration, 'dimensions'))) || undefined,
    },
  );
}

interface PgvectorTable {
  /** Quoted. */
  readonly table: string;
  readonly kind: VectorPlace['measure'];
  readonly method: (typeof methods)[number];
  readonly lists: number;
  /** undefined: those of the first vector. */
  readonly dimensions: number | undefined;
}

class PgvectorIndex implements VectorIndex {
  constructor(
    private readonly session: PostgresqlSession,
    private readonly parts: PgvectorTable,
  ) {}

  async store({ id, pieces, metadata }: VectorDocument): Promise<void> {
    const { table } = this.parts;
    await this.#run(async (client) => {
      await this.#createTable(client, pieces[0]?.vector.length ?? 1);
      await client.query(`DELETE FROM ${table} WHERE parent_doc_id = $1`, [id]);
      await client.query(
        `INSERT INTO ${table} (parent_doc_id, number, pieces, text, metadata, embedding)
         SELECT $1, place - 1, $2, content, $3::jsonb, vector::vector
         FROM unnest($4::text[], $5::text[]) WITH ORDINALITY AS each (content, vector, place)`,
        [
          ...[id, pieces.length, metadata],
          pieces.map(({ text }) => text),
          pieces.map(({ vector }) => JSON.stringify(vector)),
        ],
      );
    });
  }

  async search(target: readonly number[], count: number): Promise<JsonMap[]> {
    const { kind, method, lists } = this.parts;
    const rows = await this.#run(async (client) => {
      if (!(await this.#exists(client))) return [];
      if (method !== 'none' && count <= candidatesMax) {
        // Both settings are known once the extension is loaded; until then any name is taken.
        await client.query(`SET LOCAL hnsw.ef_search = ${Math.max(count, candidatesMin)}`);
        await client.query(`SET LOCAL ivfflat.probes = ${Math.ceil(Math.sqrt(lists))}`);
        const found = await this.#nearest(client, target, count);
        if (found.length === count) return found;
      }
      // Exact: an approximate index may miss what it did not look at.
      await client.query('SET LOCAL enable_indexscan = off');
      return await this.#nearest(client, target, count);
    });
    return rows.map(({ parent_doc_id, distance, metadata, ...piece }) => {
      const said = parseJson(metadata);
      return foundPiece({
        ...{ ...piece, documentId: parent_doc_id, score: measures[kind].score(distance) },
        metadata: isMap(said) ? said : {},
      });
    });
  }

  async #nearest(client: Client, target: readonly number[], count: number): Promise<FoundRow[]> {
    const { kind, table } = this.parts;
    const distance = `embedding ${measures[kind].operator} $1::vector`;
    const { rows } = await client.query<FoundRow>(
      `SELECT parent_doc_id, number, pieces, text, metadata::text, ${distance} AS distance
       FROM ${table} ORDER BY ${distance} LIMIT $2`,
      [JSON.stringify(target), count],
    );
    return rows;
  }

  async #exists(client: Client): Promise<boolean> {
    const query = 'SELECT to_regclass($1) IS NOT NULL AS there';
    const { rows } = await client.query<{ there: boolean }>(query, [this.parts.table]);
    return rows[0]?.there === true;
  }

  /** One at a time: two that begin together would both find that there is none. */
  async #createTable(client: Client, length: number): Promise<void> {
    if (await this.#exists(client)) return;
    const { dimensions = length, kind, lists, method, table } = this.parts;
    await client.query("SELECT pg_advisory_xact_lock(hashtext('downbeat-vectors'))");
    await client.query('CREATE EXTENSION IF NOT EXISTS vector');
    if (await this.#exists(client)) return;
    await client.query(
      `CREATE TABLE ${table} (
         parent_doc_id text, number integer, pieces integer NOT NULL, text text NOT NULL,
         metadata jsonb NOT NULL, embedding vector(${dimensions}) NOT NULL,
         PRIMARY KEY (parent_doc_id, number))`,
    );
    if (method === 'none') return;
    const options = method === 'ivfflat' ? ` WITH (lists = ${lists})` : '';
    await client.query(
      `CREATE INDEX ON ${table} USING ${method} (embedding ${measures[kind].operators})${options}`,
    );
  }

  async #run<T>(work: (client: Client) => Promise<T>): Promise<T> {
    try {
      return await inTransaction(this.session, work);
    } catch (error) {
      const { code } = error as { code?: unknown };
      const isFinal = typeof code === 'string' && finalErrors.test(code) && code !== undefinedTable;
      const why = error instanceof Error ? error.message || error.name : String(error);
      const message = `The vector store answered: ${why}`;
      throw isFinal
        ? new FinalFailure(message, { cause: error })
        : new OutboundError('broken', message, { cause: error });
    }
  }
}

interface FoundRow {
  readonly parent_doc_id: string;
  readonly number: number;
  readonly pieces: number;
  readonly text: string;
  readonly metadata: string;
  readonly distance: number;
}

/** Quoted. Throws FinalFailure for a name that PostgreSQL would cut or that means two. */
function tableName(index: string, namespace: string): string {
  const name = namespace === '' ? index : `${index}/${namespace}`;
  if (index.includes('/')) throw new FinalFailure('The name of an index may not hold a slash');
  if (Buffer.byteLength(name) > nameBytesMax) {
    throw new FinalFailure(
      `The names of index and namespace may have ${nameBytesMax - 1} bytes at most together`,
    );
  }
  if (name.includes('\0')) throw new FinalFailure('A name may not hold the character 0');
  return `"${name.replaceAll('"', '""')}"`;
}

function methodOf(integration: OpenIntegration): PgvectorTable['method'] {
  const given = configured(integration, 'indexing_method').toLowerCase() || 'none';
  const method = methods.find((each) => each === given);
  if (method !== undefined) return method;
  throw new FinalFailure(
    `The integration ${integration.name} has an unknown indexing_method: ${given}`,
  );
}
