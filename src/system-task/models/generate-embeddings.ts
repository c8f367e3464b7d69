// LLM_GENERATE_EMBEDDINGS (semantics 4.23): the vector of a text.
import {
  completed,
  systemTask,
  systemTaskType,
  type SystemTask,
  type SystemTaskType,
} from '../system-task.js';
import { checkParameters, integerFrom, requiredText, TaskInput } from '../task-input.js';
import { modelUserOf, type ModelServices } from './completion.js';
import { textFrom } from '../../model/json-text.js';

const parameters = {
  llmProvider: requiredText,
  model: requiredText,
  text: requiredText,
  dimensions: integerFrom(0),
};

export const generateEmbeddingsTask: SystemTaskType = systemTaskType({
  name: 'LLM_GENERATE_EMBEDDINGS',
  reaches: [{ right: 'READ', target: 'INTEGRATION', named: '`llmProvider` and `model`' }],
  check: checkParameters(parameters),
  needs: ['models', 'integrations'],
  create: createGenerateEmbeddingsTask,
});

export function createGenerateEmbeddingsTask(
  services: Pick<ModelServices, 'models' | 'integrations'>,
): SystemTask {
  return systemTask({
    lane: ({ llmProvider }) => textFrom(llmProvider),
    async run(run) {
      const input = new TaskInput(parameters, run.input);
      const user = modelUserOf(services.integrations, run);
      const [vector = []] = await services.models.embed(user, input.text('llmProvider'), {
        model: input.text('model'),
        texts: [input.text('text')],
        dimensions: input.number('dimensions') || undefined,
      });
      return completed(run, { result: vector });
    },
  });
}
