// LLM_SEARCH_EMBEDDINGS and LLM_GET_EMBEDDINGS, its older name (semantics 4.23): the texts whose
// vectors are nearest to one that the workflow has made.
import { parameterTask } from '../../../system-task/parameter-task.js';
import { completed, type SystemTaskType } from '../../../system-task/system-task.js';
import { vectorIndexOf } from './open-index.js';
import {
  givenVector,
  reachesVectors,
  searchIndex,
  searchParameters,
  vectorNeeds,
  vectorParameter,
} from './vector-index.js';

const searching = (name: string): SystemTaskType =>
  parameterTask({
    name,
    reaches: [reachesVectors],
    parameters: { ...searchParameters, ...vectorParameter },
    lane: 'vectorDB',
    needs: vectorNeeds,
    async run(services, run, input) {
      const index = await vectorIndexOf(services, run, input);
      const result = await searchIndex(index, givenVector(input), input);
      return completed(run, { result });
    },
  });

export const searchEmbeddingsTask = searching('LLM_SEARCH_EMBEDDINGS');
export const getEmbeddingsTask = searching('LLM_GET_EMBEDDINGS');
