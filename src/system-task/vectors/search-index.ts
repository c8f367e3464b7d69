// LLM_SEARCH_INDEX (semantics 4.23): the texts that are nearest in meaning to a question.
import { modelUserOf } from '../models/completion.js';
import {
  completed,
  systemTask,
  systemTaskType,
  type SystemTask,
  type SystemTaskType,
} from '../system-task.js';
import { checkParameters, requiredText, TaskInput } from '../task-input.js';
import { vectorIndexOf } from './open-index.js';
import {
  embeddingParameters,
  embedTexts,
  searchIndex,
  searchParameters,
  vectorNeeds,
  type VectorServices,
} from './vector-index.js';
import { textFrom } from '../../model/json-text.js';

const parameters = { ...searchParameters, ...embeddingParameters, query: requiredText };

export const searchIndexTask: SystemTaskType = systemTaskType({
  name: 'LLM_SEARCH_INDEX',
  reaches: [
    { right: 'READ', target: 'INTEGRATION_PROVIDER', named: '`vectorDB`' },
    {
      right: 'READ',
      target: 'INTEGRATION',
      named: '`embeddingModelProvider` and `embeddingModel`',
    },
  ],
  check: checkParameters(parameters),
  needs: vectorNeeds,
  create: createSearchIndexTask,
});

export function createSearchIndexTask(services: VectorServices): SystemTask {
  return systemTask({
    lane: ({ embeddingModelProvider }) => textFrom(embeddingModelProvider),
    async run(run) {
      const input = new TaskInput(parameters, run.input);
      const user = modelUserOf(services.integrations, run);
      const index = await vectorIndexOf(services, run, input);
      const [target = []] = await embedTexts(services, user, input, [input.text('query')]);
      return completed(run, { result: await searchIndex(index, target, input) });
    },
  });
}
