// LLM_SEARCH_INDEX (semantics 4.23): the texts that are nearest in meaning to a question.
import { modelUserOf } from '../completion.js';
import { parameterTask } from '../../../system-task/parameter-task.js';
import { completed } from '../../../system-task/system-task.js';
import { requiredText } from '../../../system-task/task-input.js';
import { vectorIndexOf } from './open-index.js';
import {
  embeddingParameters,
  embedTexts,
  reachesEmbedder,
  reachesVectors,
  searchIndex,
  searchParameters,
  vectorNeeds,
} from './vector-index.js';

export const searchIndexTask = parameterTask({
  name: 'LLM_SEARCH_INDEX',
  reaches: [reachesVectors, reachesEmbedder],
  parameters: { ...searchParameters, ...embeddingParameters, query: requiredText },
  lane: 'embeddingModelProvider',
  needs: vectorNeeds,
  async run(services, run, input) {
    const user = modelUserOf(services.integrations, run);
    const index = await vectorIndexOf(services, run, input);
    const [target = []] = await embedTexts(services, user, input, [input.text('query')]);
    return completed(run, { result: await searchIndex(index, target, input) });
  },
});
