// LLM_GENERATE_EMBEDDINGS (semantics 4.23): the vector of a text.
import { parameterTask } from '../../system-task/parameter-task.js';
import { completed } from '../../system-task/system-task.js';
import { integerFrom, requiredText } from '../../system-task/task-input.js';
import { modelUserOf, reachesModel } from './completion.js';

export const generateEmbeddingsTask = parameterTask({
  name: 'LLM_GENERATE_EMBEDDINGS',
  reaches: [reachesModel],
  parameters: {
    llmProvider: requiredText,
    model: requiredText,
    text: requiredText,
    dimensions: integerFrom(0),
  },
  lane: 'llmProvider',
  needs: ['models', 'integrations'],
  async run({ models, integrations }, run, input) {
    const user = modelUserOf(integrations, run);
    const [vector = []] = await models.embed(user, input.text('llmProvider'), {
      model: input.text('model'),
      texts: [input.text('text')],
      dimensions: input.number('dimensions') || undefined,
    });
    return completed(run, { result: vector });
  },
});
