// What the tasks of vector stores share (semantics 4.23): the integration that they name, storing a
// document, searching. Integrations of the category VECTOR_DB without a type or of the type redis
// are kept by this server itself, those of the type pgvectordb stand in a PostgreSQL database; a
// task that names one of another type fails and says so.
import type { JsonMap } from '../../model/json.js';
import { toJsonText } from '../../model/json-text.js';
import type { Piece, VectorStore } from '../../store/vector-store.js';
import { FinalFailure } from '../final-failure.js';
import { configured, type IntegrationUse, type OpenIntegration } from '../integration-use.js';
import type { SystemTaskServices, TaskRun } from '../system-task.js';
import { integerFrom, list, requiredText, text, type TaskInput } from '../task-input.js';
import type { Models } from '../models/models.js';
import { RedisIndex } from './redis-index.js';
import { measureNamed } from './vector-search.js';

export interface VectorServices extends Pick<SystemTaskServices, 'sockets' | 'requestTimeMsMax'> {
  readonly integrations: IntegrationUse;
  readonly models: Models;
  readonly vectors: VectorStore;
}

export const resultsMax = 10_000;

export const spaceParameters = { vectorDB: requiredText, index: requiredText, namespace: text };
export const searchParameters = {
  ...spaceParameters,
  maxResults: integerFrom(1, resultsMax),
  llmMaxResults: integerFrom(1, resultsMax),
  dimensions: integerFrom(0),
};
export const embeddingParameters = {
  embeddingModelProvider: requiredText,
  embeddingModel: requiredText,
  dimensions: integerFrom(0),
};
export const vectorParameter = { embeddings: { ...list, isRequired: true } };

export interface VectorDocument {
  readonly id: string;
  readonly pieces: readonly Omit<Piece, 'metadata'>[];
  /** JSON text of an object. */
  readonly metadata: string;
}

/** An index and namespace of a vector store. Both methods throw FinalFailure with the reason. */
export interface VectorIndex {
  /** Stores a document in place of an earlier one with its id. */
  store(document: VectorDocument): Promise<void>;
  /** The `count` nearest pieces, nearest first, as tasks answer them. */
  search(target: readonly number[], count: number): Promise<JsonMap[]>;
}

/** Throws FinalFailure for an integration that cannot be used. */
export async function vectorIndexOf(
  services: VectorServices,
  run: TaskRun,
  input: TaskInput,
): Promise<VectorIndex> {
  const { integrations, vectors } = services;
  const store = input.text('vectorDB');
  const integration = await integrations.provider(integrations.userOf(run), store, ['VECTOR_DB']);
  const measure = measureOf(integration);
  const name = { index: input.text('index'), namespace: input.text('namespace') };
  switch (integration.type ?? 'redis') {
    case 'redis':
      return new RedisIndex(vectors, { store, ...name }, measure.nearness);
    case 'pgvectordb': {
      const { createPgvectorIndex } = await import('./pgvector-index.js');
      return createPgvectorIndex(services, integration, { ...name, measure, signal: run.signal });
    }
    default:
      throw new FinalFailure(
        `The integration ${store} is of the type ${integration.type}, whose protocol this server ` +
          'does not speak; vector stores are of the type redis or pgvectordb',
      );
  }
}

function measureOf(integration: OpenIntegration): NonNullable<ReturnType<typeof measureNamed>> {
  const metric = configured(integration, 'distance_metric');
  const measure = measureNamed(metric);
  if (measure !== undefined) return measure;
  throw new FinalFailure(
    `The integration ${integration.name} has an unknown distance_metric: ${metric}`,
  );
}

/** Stores a document in place of an earlier one. Throws FinalFailure when the index refuses it. */
export async function storeDocument(
  index: VectorIndex,
  document: Omit<VectorDocument, 'metadata'>,
  metadata: JsonMap,
): Promise<void> {
  await index.store({ ...document, metadata: toJsonText(metadata) });
}

/** The nearest pieces, as many as the task asks for. */
export async function searchIndex(
  index: VectorIndex,
  target: readonly number[],
  input: TaskInput,
): Promise<JsonMap[]> {
  const count = input.number('maxResults') ?? input.number('llmMaxResults') ?? 1;
  return await index.search(target, count);
}

/** A piece as tasks answer it: a document of one piece keeps its id. */
export function foundPiece(piece: {
  readonly documentId: string;
  readonly number: number;
  readonly pieces: number;
  readonly text: string;
  readonly score: number;
  readonly metadata: JsonMap;
}): JsonMap {
  const { documentId, number, pieces, text: content, score, metadata } = piece;
  return {
    docId: pieces === 1 ? documentId : `${documentId}_${number}`,
    parentDocId: documentId,
    text: content,
    score,
    metadata,
  };
}

/** Vectors of texts by the model that the task names. */
export async function embedTexts(
  { models }: VectorServices,
  user: Parameters<Models['embed']>[0],
  input: TaskInput,
  texts: readonly string[],
): Promise<number[][]> {
  return await models.embed(user, input.text('embeddingModelProvider'), {
    model: input.text('embeddingModel'),
    texts,
    dimensions: input.number('dimensions') || undefined,
  });
}

/** A vector that the task gives itself; throws FinalFailure unless it is one of numbers. */
export function givenVector(input: TaskInput): number[] {
  const vector = input.numbers('embeddings');
  const wanted = input.number('dimensions') || vector.length;
  if (vector.length === wanted) return vector;
  throw new FinalFailure(
    `inputParameters.embeddings has ${vector.length} dimensions, not ${wanted}`,
  );
}
