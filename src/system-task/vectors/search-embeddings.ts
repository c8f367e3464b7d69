// LLM_SEARCH_EMBEDDINGS and LLM_GET_EMBEDDINGS, its older name (semantics 4.23): the texts whose
// vectors are nearest to one that the workflow has made.
import {
  completed,
  systemTask,
  systemTaskType,
  type SystemTask,
  type SystemTaskType,
} from '../system-task.js';
import { checkParameters, TaskInput } from '../task-input.js';
import { vectorIndexOf } from './open-index.js';
import {
  givenVector,
  searchIndex,
  searchParameters,
  vectorNeeds,
  vectorParameter,
  type VectorServices,
} from './vector-index.js';
import { textFrom } from '../../model/json-text.js';

const parameters = { ...searchParameters, ...vectorParameter };

const searching = {
  reaches: [{ right: 'READ', target: 'INTEGRATION_PROVIDER', named: '`vectorDB`' }],
  check: checkParameters(parameters),
  needs: vectorNeeds,
  create: createSearchEmbeddingsTask,
} as const;

export const searchEmbeddingsTask: SystemTaskType = systemTaskType({
  ...searching,
  name: 'LLM_SEARCH_EMBEDDINGS',
});

export const getEmbeddingsTask: SystemTaskType = systemTaskType({
  ...searching,
  name: 'LLM_GET_EMBEDDINGS',
});

export function createSearchEmbeddingsTask(services: VectorServices): SystemTask {
  return systemTask({
    lane: ({ vectorDB }) => textFrom(vectorDB),
    async run(run) {
      const input = new TaskInput(parameters, run.input);
      const index = await vectorIndexOf(services, run, input);
      const result = await searchIndex(index, givenVector(input), input);
      return completed(run, { result });
    },
  });
}
