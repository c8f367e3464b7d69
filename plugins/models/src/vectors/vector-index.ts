// Parts that the tasks of vector stores share (semantics 4.23): their parameters, storing a
// document, searching, and what they answer.
import {
  FinalFailure,
  integerFrom,
  list,
  requiredText,
  text,
  toJsonText,
  type JsonMap,
  type Reach,
  type TaskInput,
  type TaskRun,
  type VectorDocument,
  type VectorIndex,
} from '@downbeat/plugin';
import type { Services } from '../model-task.js';

export const reachesVectors: Reach = {
  right: 'READ',
  target: 'INTEGRATION_PROVIDER',
  named: '`vectorDB`',
};
export const reachesEmbedder: Reach = {
  right: 'READ',
  target: 'INTEGRATION',
  named: '`embeddingModelProvider` and `embeddingModel`',
};

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

/** The index that the task names. Rejects with FinalFailure for one that cannot be used. */
export async function openIndex(
  { vectorIndexes }: Services,
  run: TaskRun,
  input: TaskInput,
): Promise<VectorIndex> {
  return await vectorIndexes.open(run, {
    store: input.text('vectorDB'),
    index: input.text('index'),
    namespace: input.text('namespace'),
  });
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

/** Vectors of texts by the model that the task names. */
export async function embedTexts(
  { models }: Services,
  run: TaskRun,
  input: TaskInput,
  texts: readonly string[],
): Promise<number[][]> {
  return await models.embed(run, input.text('embeddingModelProvider'), {
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
