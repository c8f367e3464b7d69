// The tasks of vector stores against a real PostgreSQL with pgvector, where one is found.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningDatabase } from '../../support/databases.js';
import { findPgvector, startPgvector } from '../../support/pgvector.js';
import type { JsonObject } from '../../../testkit/wire.js';
import { TaskBench } from './task-bench.js';

const embedding = { embeddingModelProvider: 'ai', embeddingModel: 'm' };
const pgvector = await findPgvector();
const title = 'missing' in pgvector ? pgvector.missing : 'an index in PostgreSQL';

describe.skipIf('missing' in pgvector)(title, () => {
  let bench: TaskBench;
  let database: RunningDatabase;
  beforeAll(async () => {
    if ('missing' in pgvector) return;
    [database, bench] = await Promise.all([startPgvector(pgvector), TaskBench.start()]);
    await save('pg', { indexing_method: 'hnsw', distance_metric: 'cosine' });
  });
  afterAll(async () => {
    await bench?.stop();
    await database?.stop();
  });

  async function save(name: string, more: JsonObject): Promise<void> {
    const { url: datasourceURL, user, password } = database;
    await bench.saveProvider(name, {
      type: 'pgvectordb',
      configuration: { datasourceURL, user, password, ...more },
    });
  }

  const into = (index: string, more: JsonObject = {}): JsonObject => ({
    ...{ vectorDB: 'pg', index },
    ...more,
  });

  async function search(input: JsonObject): Promise<JsonObject[]> {
    return (await bench.output('LLM_SEARCH_EMBEDDINGS', input))['result'] as JsonObject[];
  }

  it('finds texts by a question, and forgets what a document said before', async () => {
    const books = into('books', { namespace: 'shelf', ...embedding });
    const text = 'first part. second part. third part.';
    const chunked = { docId: 'd', chunkSize: 14, chunkOverlap: 0, metadata: { page: 1 } };
    expect(await bench.output('LLM_INDEX_TEXT', { ...books, text, ...chunked })).toEqual({
      ...{ docId: 'd', chunks: 3 },
    });
    const ask = async (): Promise<JsonObject[]> => {
      const input = { ...books, query: 'second', maxResults: 10 };
      return (await bench.output('LLM_SEARCH_INDEX', input))['result'] as JsonObject[];
    };
    const found = await ask();
    expect(found.map(({ docId }) => docId).sort()).toEqual(['d_0', 'd_1', 'd_2']);
    expect(found[0]).toMatchObject({
      ...{ docId: 'd_1', parentDocId: 'd', text: 'second part.', metadata: { page: 1 } },
    });
    await bench.output('LLM_INDEX_TEXT', { ...books, docId: 'd', text: 'new' });
    expect(await ask()).toMatchObject([{ docId: 'd', text: 'new', metadata: {} }]);
  });

  it('gives the scores that the vectors in Redis give, by each measure', async () => {
    await bench.saveProvider('kept', { type: 'redis', category: 'VECTOR_DB' });
    for (const distance_metric of ['cosine', 'inner_product', 'euclidean']) {
      await save('pg_m', { distance_metric, indexing_method: 'ivfflat', inverted_list_count: 4 });
      await bench.saveProvider('kept_m', { type: 'redis', configuration: { distance_metric } });
      const both: JsonObject[][] = [];
      for (const vectorDB of ['pg_m', 'kept_m']) {
        const index = { vectorDB, index: distance_metric };
        for (const [id, embeddings] of [
          ['x', [3, 4, 0]],
          ['y', [0, 1, 1]],
          ['z', [-1, 0, 2]],
        ] as const) {
          await bench.output('LLM_STORE_EMBEDDINGS', { ...index, id, embeddings: [...embeddings] });
        }
        both.push(await search({ ...index, embeddings: [1, 2, 0], maxResults: 3 }));
      }
      const [inPostgresql = [], inRedis = []] = both;
      expect(inPostgresql.map(({ docId }) => docId)).toEqual(inRedis.map(({ docId }) => docId));
      for (const [i, { score }] of inPostgresql.entries()) {
        expect(score).toBeCloseTo(Number(inRedis[i]?.['score']), 5);
      }
    }
  });

  it('finds all that is asked for although the index is approximate', async () => {
    const many = into('many');
    await Promise.all(
      Array.from({ length: 60 }, async (_, i) => {
        const embeddings = [Math.cos(i), Math.sin(i)];
        await bench.output('LLM_STORE_EMBEDDINGS', { ...many, id: `v${i}`, embeddings });
      }),
    );
    const found = await search({ ...many, embeddings: [1, 0], maxResults: 60 });
    expect(new Set(found.map(({ docId }) => docId)).size).toBe(60);
    expect(found[0]).toMatchObject({ docId: 'v0', score: expect.closeTo(1, 5) });
    expect(await search({ ...many, embeddings: [1, 0] })).toHaveLength(1);
  });

  it('keeps namespaces apart, and has nothing where nothing was stored', async () => {
    const own = into('apart', { namespace: 'a' });
    await bench.output('LLM_STORE_EMBEDDINGS', { ...own, id: '1', embeddings: [1, 0] });
    expect(await search({ ...own, embeddings: [1, 0] })).toHaveLength(1);
    expect(await search({ ...own, namespace: 'b', embeddings: [1, 0] })).toEqual([]);
    expect(await search(into('apart', { embeddings: [1, 0] }))).toEqual([]);
  });

  it('takes a name as a name', async () => {
    const index = 'odd"; DROP TABLE x; --';
    await bench.output('LLM_STORE_EMBEDDINGS', into(index, { id: '1', embeddings: [1] }));
    expect(await search(into(index, { embeddings: [1] }))).toMatchObject([{ docId: '1' }]);
  });

  it('refuses for good what another attempt would meet again', async () => {
    const refused = (input: JsonObject): Promise<string> =>
      bench.refusal('LLM_STORE_EMBEDDINGS', { embeddings: [1], ...input });
    await bench.output('LLM_STORE_EMBEDDINGS', into('three', { embeddings: [1, 2, 3] }));
    expect(await refused(into('three'))).toMatch(/expected 3 dimensions, not 1/);
    expect(await refused(into('a/b'))).toMatch(/may not hold a slash/);
    expect(await refused(into('x'.repeat(64)))).toMatch(/may have 62 bytes at most together/);
    await save('pg_bad', { indexing_method: 'tree' });
    expect(await refused(into('i', { vectorDB: 'pg_bad' }))).toMatch(/indexing_method: tree/);
    await save('pg_bad', { datasourceURL: 'jdbc:mysql://127.0.0.1/x' });
    expect(await refused(into('i', { vectorDB: 'pg_bad' }))).toMatch(/must begin with jdbc:post/);
  });

  it('fails with a reason, which another attempt may not meet, when it is not reached', async () => {
    await save('pg_gone', { datasourceURL: 'jdbc:postgresql://127.0.0.1:1/x' });
    const input = into('i', { vectorDB: 'pg_gone', embeddings: [1] });
    const task = await bench.run('LLM_STORE_EMBEDDINGS', input);
    expect(task.status).toBe('FAILED');
    expect(task.reasonForIncompletion).toMatch(/The vector store answered: .*ECONNREFUSED/);
  });
});
