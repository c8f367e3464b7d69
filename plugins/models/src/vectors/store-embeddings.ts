// LLM_STORE_EMBEDDINGS (semantics 4.23): stores a vector that the workflow has made.
import { completed, map, text } from '@downbeat/plugin';
import { modelTask } from '../model-task.js';
import {
  givenVector,
  openIndex,
  reachesVectors,
  spaceParameters,
  storeDocument,
  vectorParameter,
} from './vector-index.js';

export const storeEmbeddingsTask = modelTask({
  name: 'LLM_STORE_EMBEDDINGS',
  reaches: [reachesVectors],
  parameters: {
    ...spaceParameters,
    ...vectorParameter,
    id: text,
    docId: text,
    text,
    metadata: map,
  },
  lane: 'vectorDB',
  async run(services, run, input) {
    const index = await openIndex(services, run, input);
    // The task's own id keeps a repeated attempt from storing the vector twice.
    const id = input.text('id') || input.text('docId') || run.taskId;
    const piece = { vector: givenVector(input), text: input.text('text') };
    await storeDocument(index, { id, pieces: [piece] }, input.map('metadata'));
    return completed(run, { result: 1, docId: id });
  },
});
