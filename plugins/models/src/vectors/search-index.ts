// LLM_SEARCH_INDEX (semantics 4.23): the texts that are nearest in meaning to a question.
import { completed, requiredText } from '@downbeat/plugin';
import { modelTask } from '../model-task.js';
import {
  embeddingParameters,
  embedTexts,
  openIndex,
  reachesEmbedder,
  reachesVectors,
  searchIndex,
  searchParameters,
} from './vector-index.js';

export const searchIndexTask = modelTask({
  name: 'LLM_SEARCH_INDEX',
  reaches: [reachesVectors, reachesEmbedder],
  parameters: { ...searchParameters, ...embeddingParameters, query: requiredText },
  lane: 'embeddingModelProvider',
  async run(services, run, input) {
    const index = await openIndex(services, run, input);
    const [target = []] = await embedTexts(services, run, input, [input.text('query')]);
    return completed(run, { result: await searchIndex(index, target, input) });
  },
});
