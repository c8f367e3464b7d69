// LLM_SEARCH_EMBEDDINGS and LLM_GET_EMBEDDINGS, its older name (semantics 4.23): the texts whose
// vectors are nearest to one that the workflow has made.
import { completed, type PluginTaskType } from '@downbeat/plugin';
import { modelTask } from '../model-task.js';
import {
  givenVector,
  openIndex,
  reachesVectors,
  searchIndex,
  searchParameters,
  vectorParameter,
} from './vector-index.js';

const searching = (name: string): PluginTaskType =>
  modelTask({
    name,
    reaches: [reachesVectors],
    parameters: { ...searchParameters, ...vectorParameter },
    lane: 'vectorDB',
    async run(services, run, input) {
      const index = await openIndex(services, run, input);
      const result = await searchIndex(index, givenVector(input), input);
      return completed(run, { result });
    },
  });

export const searchEmbeddingsTask = searching('LLM_SEARCH_EMBEDDINGS');
export const getEmbeddingsTask = searching('LLM_GET_EMBEDDINGS');
