// The tasks of vector stores against a provider on loopback, with vectors in the server's Redis.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { vectorOf } from '../../support/model-server.js';
import type { JsonObject } from '../../../testkit/wire.js';
import { TaskBench } from './task-bench.js';

const embedding = { embeddingModelProvider: 'ai', embeddingModel: 'm' };
const space = { vectorDB: 'kept', index: 'books', namespace: 'n' };

let bench: TaskBench;
beforeAll(async () => {
  bench = await TaskBench.start(['--vectors-per-index-max=6']);
  await bench.saveProvider('kept', { type: 'redis', category: 'VECTOR_DB' });
});
afterAll(() => bench?.stop());

async function search(query: string, more: JsonObject = {}): Promise<JsonObject[]> {
  const input = { ...space, ...embedding, query, maxResults: 10, ...more };
  return (await bench.output('LLM_SEARCH_INDEX', input))['result'] as JsonObject[];
}

describe('an index', () => {
  it('finds what is nearest in meaning, with what was stored beside it', async () => {
    for (const [docId, text] of [
      ['a', 'apple and pear'],
      ['z', 'zzz zoo'],
    ] as const) {
      const metadata = { shelf: docId };
      await bench.output('LLM_INDEX_TEXT', { ...space, ...embedding, text, docId, metadata });
    }
    const found = await search('a pear, an apple');
    expect(found.map(({ docId }) => docId)).toEqual(['a', 'z']);
    expect(found[0]).toEqual({
      ...{ docId: 'a', parentDocId: 'a', text: 'apple and pear', metadata: { shelf: 'a' } },
      score: expect.closeTo(0.95, 1),
    });
    expect((await search('zoo', { maxResults: 1 })).map(({ docId }) => docId)).toEqual(['z']);
    expect(await search('zoo', { namespace: 'other' })).toEqual([]);
  });

  it('cuts a long text, and forgets what a document said before', async () => {
    const into = { ...space, index: 'long', ...embedding, docId: 'd' };
    const text = 'first part. second part. third part.';
    const chunked = { chunkSize: 14, chunkOverlap: 0 };
    const output = await bench.output('LLM_INDEX_TEXT', { ...into, text, ...chunked });
    expect(output).toEqual({ docId: 'd', chunks: 3 });
    const found = await search('second', { index: 'long' });
    expect(found.map(({ docId }) => docId).sort()).toEqual(['d_0', 'd_1', 'd_2']);
    expect(found[0]).toMatchObject({ docId: 'd_1', parentDocId: 'd', text: 'second part.' });
    await bench.output('LLM_INDEX_TEXT', { ...into, text: 'new' });
    expect(await search('second', { index: 'long' })).toMatchObject([{ docId: 'd', text: 'new' }]);
  });

  it('takes vectors that the workflow has made', async () => {
    const into = { ...space, index: 'own' };
    const metadata = { a: 1 };
    const stored = { ...into, id: 'v', embeddings: [1, 0, 0], metadata };
    expect(await bench.output('LLM_STORE_EMBEDDINGS', stored)).toEqual({ result: 1, docId: 'v' });
    await bench.output('LLM_STORE_EMBEDDINGS', { ...into, embeddings: [0, 1, 0] });
    for (const type of ['LLM_SEARCH_EMBEDDINGS', 'LLM_GET_EMBEDDINGS']) {
      const output = await bench.output(type, { ...into, embeddings: [1, 0.1, 0] });
      expect(output['result']).toEqual([
        { docId: 'v', parentDocId: 'v', text: '', score: expect.closeTo(0.995, 3), metadata },
      ]);
    }
    expect(await bench.refusal('LLM_STORE_EMBEDDINGS', { ...into, embeddings: [1, 2] })).toBe(
      'The index own of kept has vectors of 3 dimensions, these have others',
    );
  });

  it('measures as the integration says', async () => {
    const configuration = { distance_metric: 'euclidean' };
    await bench.saveProvider('far', { type: 'redis', configuration });
    const into = { vectorDB: 'far', index: 'i' };
    await bench.output('LLM_STORE_EMBEDDINGS', { ...into, id: 'x', embeddings: [3, 4] });
    const output = await bench.output('LLM_SEARCH_EMBEDDINGS', { ...into, embeddings: [0, 0] });
    expect(output['result']).toMatchObject([{ docId: 'x', score: expect.closeTo(1 / 6, 5) }]);
    await bench.saveProvider('odd', { type: 'redis', configuration: { distance_metric: 'mood' } });
    expect(
      await bench.refusal('LLM_SEARCH_EMBEDDINGS', { ...into, vectorDB: 'odd', embeddings: [1] }),
    ).toBe('The integration odd has an unknown distance_metric: mood');
  });

  it('holds as many vectors as the setting says', async () => {
    const into = { ...space, index: 'full', ...embedding, chunkSize: 4, chunkOverlap: 0 };
    const text = 'aaa bbb ccc ddd eee fff ggg';
    expect(await bench.refusal('LLM_INDEX_TEXT', { ...into, docId: 'd', text })).toMatch(
      /holds 0 vectors and may hold no more \(vectorsPerIndexMax\)/,
    );
    await bench.output('LLM_INDEX_TEXT', { ...into, docId: 'd', text: text.slice(0, 20) });
  });

  it('goes with its integration', async () => {
    await bench.saveProvider('brief', { category: 'VECTOR_DB' });
    const into = { vectorDB: 'brief', index: 'i' };
    await bench.output('LLM_STORE_EMBEDDINGS', { ...into, embeddings: vectorOf('a') });
    await bench.api.ask('DELETE', '/api/integrations/provider/brief');
    await bench.saveProvider('brief', { category: 'VECTOR_DB' });
    const found = { ...into, embeddings: vectorOf('a') };
    expect(await bench.output('LLM_SEARCH_EMBEDDINGS', found)).toEqual({ result: [] });
  });

  it.each([
    ['LLM_INDEX_TEXT', { ...embedding }, /One of text and url is required/],
    ['LLM_INDEX_TEXT', { ...embedding, text: '  \n ' }, /There is no text to index/],
    ['LLM_SEARCH_EMBEDDINGS', { embeddings: ['a'] }, /embeddings\[0\] must be a number/],
    ['LLM_SEARCH_EMBEDDINGS', { embeddings: [1], dimensions: 2 }, /has 1 dimensions, not 2/],
    ['LLM_SEARCH_EMBEDDINGS', { embeddings: [1], vectorDB: 'ai' }, /AI_MODEL, not VECTOR_DB/],
    ['LLM_SEARCH_EMBEDDINGS', { embeddings: [1], vectorDB: 'pine' }, /pineconedb, whose protocol/],
  ])('fails %s without a retry for %j', async (type, input, reason) => {
    await bench.saveProvider('pine', { type: 'pineconedb', configuration: { api_key: 'k' } });
    expect(await bench.refusal(type, { ...space, ...input })).toMatch(reason);
  });
});

/** Kinds of contract-admin 14.3 whose protocols are not spoken, with a task that uses each. */
const unspoken: readonly (readonly [string, string, (name: string) => JsonObject])[] = [
  ...[
    ...['cohere', 'anthropic', 'vertex_ai', 'vertex_ai_gemini', 'huggingface'],
    ...['aws_bedrock_anthropic', 'aws_bedrock_cohere', 'aws_bedrock_titan'],
  ].map((kind) => {
    const input = (name: string): JsonObject => ({ llmProvider: name, model: 'm', prompt: 'x' });
    return [kind, 'LLM_TEXT_COMPLETE', input] as const;
  }),
  ...['pineconedb', 'weaviatedb', 'mongovectordb'].map((kind) => {
    const input = (name: string): JsonObject => ({ ...space, vectorDB: name, embeddings: [1] });
    return [kind, 'LLM_SEARCH_EMBEDDINGS', input] as const;
  }),
];

it.each(unspoken)(
  'a provider of the type %s fails %s and is named',
  async (kind, type, inputOf) => {
    const name = `of_${kind}`;
    await bench.saveProvider(name, { type: kind, configuration: { api_key: 'k' } });
    await bench.saveModel(name, 'm');
    const reason = await bench.refusal(type, inputOf(name));
    expect(reason).toContain(`${name} is of the type ${kind}, whose protocol`);
  },
);
