// LLM_SEARCH_EMBEDDINGS and LLM_GET_EMBEDDINGS, its older name (semantics 4.23): the texts whose
// vectors are nearest to one that the workflow has made.
import {
  completed,
  ordinaryRun,
  ordinaryType,
  type SystemTask,
  type SystemTaskType,
} from '../system-task.js';
import { checkParameters, TaskInput } from '../task-input.js';
import { vectorIndexOf } from './open-index.js';
import {
  givenVector,
  searchIndex,
  searchParameters,
  vectorParameter,
  type VectorServices,
} from './vector-index.js';
import { textFrom } from '../../model/json-text.js';

const parameters = { ...searchParameters, ...vectorParameter };

const searching: Omit<SystemTaskType, 'name'> = {
  ...ordinaryType,
  reaches: [{ right: 'READ', target: 'INTEGRATION_PROVIDER', named: '`vectorDB`' }],
  check: checkParameters(parameters),
  create: createSearchEmbeddingsTask,
};

export const searchEmbeddingsTask: SystemTaskType = {
  ...searching,
  name: 'LLM_SEARCH_EMBEDDINGS',
};

export const getEmbeddingsTask: SystemTaskType = { ...searching, name: 'LLM_GET_EMBEDDINGS' };

export function createSearchEmbeddingsTask(services: VectorServices): SystemTask {
  return {
    ...ordinaryRun,
    lane: ({ vectorDB }) => textFrom(vectorDB),
    async run(run) {
      const input = new TaskInput(parameters, run.input);
      const index = await vectorIndexOf(services, run, input);
      const result = await searchIndex(index, givenVector(input), input);
      return completed(run, { result });
    },
  };
}
