// LLM_STORE_EMBEDDINGS (semantics 4.23): stores a vector that the workflow has made.
import {
  completed,
  systemTask,
  systemTaskType,
  type SystemTask,
  type SystemTaskType,
} from '../system-task.js';
import { checkParameters, map, TaskInput, text } from '../task-input.js';
import { vectorIndexOf } from './open-index.js';
import {
  givenVector,
  spaceParameters,
  storeDocument,
  vectorParameter,
  vectorNeeds,
  type VectorServices,
} from './vector-index.js';
import { textFrom } from '../../model/json-text.js';

const parameters = {
  ...spaceParameters,
  ...vectorParameter,
  id: text,
  docId: text,
  text,
  metadata: map,
};

export const storeEmbeddingsTask: SystemTaskType = systemTaskType({
  name: 'LLM_STORE_EMBEDDINGS',
  reaches: [{ right: 'READ', target: 'INTEGRATION_PROVIDER', named: '`vectorDB`' }],
  check: checkParameters(parameters),
  needs: vectorNeeds,
  create: createStoreEmbeddingsTask,
});

export function createStoreEmbeddingsTask(services: VectorServices): SystemTask {
  return systemTask({
    lane: ({ vectorDB }) => textFrom(vectorDB),
    async run(run) {
      const input = new TaskInput(parameters, run.input);
      const index = await vectorIndexOf(services, run, input);
      // The task's own id keeps a repeated attempt from storing the vector twice.
      const id = input.text('id') || input.text('docId') || run.taskId;
      const piece = { vector: givenVector(input), text: input.text('text') };
      await storeDocument(index, { id, pieces: [piece] }, input.map('metadata'));
      return completed(run, { result: 1, docId: id });
    },
  });
}
