// LLM_INDEX_TEXT and LLM_INDEX_DOCUMENT (semantics 4.23): stores a text, or a document that is read
// from its address, with the vectors of its chunks. The same id replaces what it stood for before.
import { modelUserOf } from '../models/completion.js';
import { FinalFailure } from '../final-failure.js';
import {
  completed,
  systemTask,
  systemTaskType,
  type SystemTask,
  type SystemTaskServices,
  type SystemTaskType,
  type TaskRun,
} from '../system-task.js';
import { checkParameters, integerFrom, map, TaskInput, text } from '../task-input.js';
import { vectorIndexOf } from './open-index.js';
import { chunksOf } from './text-chunks.js';
import {
  embeddingParameters,
  embedTexts,
  spaceParameters,
  storeDocument,
  vectorNeeds,
  type VectorServices,
} from './vector-index.js';
import { textFrom } from '../../model/json-text.js';

const parameters = {
  ...spaceParameters,
  ...embeddingParameters,
  text,
  url: text,
  mediaType: text,
  docId: text,
  chunkSize: integerFrom(0),
  chunkOverlap: integerFrom(0),
  metadata: map,
};
/** Characters of a chunk and of its overlap where the task says nothing. */
const chunkSizeDefault = 12_000;
const chunkOverlapDefault = 400;

type IndexServices = VectorServices & Pick<SystemTaskServices, 'documents'>;

const indexing = {
  reaches: [
    { right: 'READ', target: 'INTEGRATION_PROVIDER', named: '`vectorDB`' },
    {
      right: 'READ',
      target: 'INTEGRATION',
      named: '`embeddingModelProvider` and `embeddingModel`',
    },
  ],
  check: checkParameters(parameters),
  needs: [...vectorNeeds, 'documents'],
  create: createIndexTextTask,
} as const;

export const indexTextTask: SystemTaskType = systemTaskType({
  ...indexing,
  name: 'LLM_INDEX_TEXT',
});
export const indexDocumentTask: SystemTaskType = systemTaskType({
  ...indexing,
  name: 'LLM_INDEX_DOCUMENT',
});

export function createIndexTextTask(services: IndexServices): SystemTask {
  return systemTask({
    lane: ({ embeddingModelProvider }) => textFrom(embeddingModelProvider),
    async run(run) {
      const input = new TaskInput(parameters, run.input);
      const user = modelUserOf(services.integrations, run);
      const index = await vectorIndexOf(services, run, input);
      const chunks = chunksOf(await textOf(services, run, input), {
        size: input.number('chunkSize') || chunkSizeDefault,
        overlap: input.number('chunkOverlap') ?? chunkOverlapDefault,
      });
      if (chunks.length === 0) throw new FinalFailure('There is no text to index');
      const made = await embedTexts(services, user, input, chunks);
      const pieces = chunks.map((chunk, i) => ({ text: chunk, vector: made[i] ?? [] }));
      const id = input.text('docId') || input.text('url') || run.taskId;
      await storeDocument(index, { id, pieces }, input.map('metadata'));
      return completed(run, { docId: id, chunks: chunks.length });
    },
  });
}

async function textOf(services: IndexServices, run: TaskRun, input: TaskInput): Promise<string> {
  const url = input.text('url');
  if (url === '') {
    if (!input.has('text')) throw new FinalFailure('One of text and url is required');
    return input.text('text');
  }
  return await services.documents.read(run, { url, mediaType: input.text('mediaType') });
}
