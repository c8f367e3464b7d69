// LLM_GENERATE_EMBEDDINGS (semantics 4.23): the vector of a text.
import { completed, integerFrom, requiredText } from '@downbeat/plugin';
import { reachesModel } from './completion.js';
import { modelTask } from './model-task.js';

export const generateEmbeddingsTask = modelTask({
  name: 'LLM_GENERATE_EMBEDDINGS',
  reaches: [reachesModel],
  parameters: {
    llmProvider: requiredText,
    model: requiredText,
    text: requiredText,
    dimensions: integerFrom(0),
  },
  lane: 'llmProvider',
  async run({ models }, run, input) {
    const [vector = []] = await models.embed(run, input.text('llmProvider'), {
      model: input.text('model'),
      texts: [input.text('text')],
      dimensions: input.number('dimensions') || undefined,
    });
    return completed(run, { result: vector });
  },
});
