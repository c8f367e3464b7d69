// LLM_INDEX_TEXT and LLM_INDEX_DOCUMENT (semantics 4.23): stores a text, or a document that is read
// from its address, with the vectors of its chunks. The same id replaces what it stood for before.
import {
  chunksOf,
  completed,
  FinalFailure,
  integerFrom,
  map,
  text,
  type PluginTaskType,
  type TaskInput,
  type TaskRun,
} from '@downbeat/plugin';
import { modelTask, type Services } from '../model-task.js';
import {
  embeddingParameters,
  embedTexts,
  openIndex,
  reachesEmbedder,
  reachesVectors,
  spaceParameters,
  storeDocument,
} from './vector-index.js';

/** Characters of a chunk and of its overlap where the task says nothing. */
const chunkSizeDefault = 12_000;
const chunkOverlapDefault = 400;

const indexing = (name: string): PluginTaskType =>
  modelTask({
    name,
    reaches: [reachesVectors, reachesEmbedder],
    parameters: {
      ...{ ...spaceParameters, ...embeddingParameters },
      ...{ text, url: text, mediaType: text, docId: text },
      ...{ chunkSize: integerFrom(0), chunkOverlap: integerFrom(0), metadata: map },
    },
    lane: 'embeddingModelProvider',
    async run(services, run, input) {
      const index = await openIndex(services, run, input);
      const chunks = chunksOf(await textOf(services, run, input), {
        size: input.number('chunkSize') || chunkSizeDefault,
        overlap: input.number('chunkOverlap') ?? chunkOverlapDefault,
      });
      if (chunks.length === 0) throw new FinalFailure('There is no text to index');
      const made = await embedTexts(services, run, input, chunks);
      const pieces = chunks.map((chunk, i) => ({ text: chunk, vector: made[i] ?? [] }));
      const id = input.text('docId') || input.text('url') || run.taskId;
      await storeDocument(index, { id, pieces }, input.map('metadata'));
      return completed(run, { docId: id, chunks: chunks.length });
    },
  });

export const indexTextTask = indexing('LLM_INDEX_TEXT');
export const indexDocumentTask = indexing('LLM_INDEX_DOCUMENT');

async function textOf(
  services: Pick<Services, 'documents'>,
  run: TaskRun,
  input: TaskInput,
): Promise<string> {
  const url = input.text('url');
  if (url === '') {
    if (!input.has('text')) throw new FinalFailure('One of text and url is required');
    return input.text('text');
  }
  return await services.documents.read(run, { url, mediaType: input.text('mediaType') });
}
