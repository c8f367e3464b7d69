// What the tasks of vector stores share (semantics 4.23): the integration that they name, storing a
// document, searching. This server keeps vectors itself, for integrations of the category VECTOR_DB
// without a type or of the type redis; a task that names one of another type fails and says so.
import { isMap, type JsonMap } from '../../model/json.js';
import { parseJson, toJsonText } from '../../model/json-text.js';
import type { Piece, VectorSpace, VectorStore } from '../../store/vector-store.js';
import { FinalFailure } from '../final-failure.js';
import { configured, type IntegrationUse, type IntegrationUser } from '../integration-use.js';
import { integerFrom, list, requiredText, text, type TaskInput } from '../task-input.js';
import type { Models } from '../models/models.js';
import { measureNamed, nearestOf, type Nearness } from './vector-search.js';

export interface VectorServices {
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

export interface VectorIndex {
  readonly space: VectorSpace;
  readonly measure: Nearness;
}

/** Throws FinalFailure for an integration that cannot be used. */
export async function vectorIndexOf(
  { integrations }: VectorServices,
  user: IntegrationUser,
  input: TaskInput,
): Promise<VectorIndex> {
  const store = input.text('vectorDB');
  const integration = await integrations.provider(user, store, ['VECTOR_DB']);
  const { type } = integration;
  if (type !== undefined && type !== 'redis') {
    throw new FinalFailure(
      `The integration ${store} is of the type ${type}, whose protocol this server does not speak; ` +
        'a vector store of this server is of the type redis',
    );
  }
  const metric = configured(integration, 'distance_metric');
  const measure = measureNamed(metric);
  if (measure === undefined) {
    throw new FinalFailure(`The integration ${store} has an unknown distance_metric: ${metric}`);
  }
  const space = { store, index: input.text('index'), namespace: input.text('namespace') };
  return { space, measure };
}

/** Stores a document in place of an earlier one. Throws FinalFailure when the index refuses it. */
export async function storeDocument(
  { vectors }: VectorServices,
  { space }: VectorIndex,
  document: { readonly id: string; readonly pieces: readonly Omit<Piece, 'metadata'>[] },
  metadata: JsonMap,
): Promise<void> {
  const said = toJsonText(metadata);
  const pieces = document.pieces.map((piece) => ({ ...piece, metadata: said }));
  const result = await vectors.put(space, document.id, pieces);
  const where = `The index ${space.index} of ${space.store}`;
  if (result.outcome === 'full') {
    throw new FinalFailure(
      `${where} holds ${result.count} vectors and may hold no more (vectorsPerIndexMax)`,
    );
  }
  if (result.outcome === 'dimensions') {
    const { dimensions } = result;
    throw new FinalFailure(`${where} has vectors of ${dimensions} dimensions, these have others`);
  }
}

/** The nearest pieces, nearest first, as tasks answer them. */
export async function searchIndex(
  { vectors }: VectorServices,
  { space, measure }: VectorIndex,
  target: readonly number[],
  input: TaskInput,
): Promise<JsonMap[]> {
  const count = input.number('maxResults') ?? input.number('llmMaxResults') ?? 1;
  const nearest = await nearestOf(vectors.slices(space), target, { count, measure });
  const pieces = await vectors.pieces(
    space,
    nearest.map(({ key }) => key),
  );
  return nearest.flatMap(({ score }, i) => {
    const piece = pieces[i];
    if (piece === undefined) return [];
    const { documentId, number, text: content, metadata } = piece;
    const isWhole = piece.pieces === 1;
    const said = parseJson(metadata);
    return {
      docId: isWhole ? documentId : `${documentId}_${number}`,
      parentDocId: documentId,
      text: content,
      score,
      metadata: isMap(said) ? said : {},
    };
  });
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
