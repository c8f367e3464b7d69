// LLM_TEXT_COMPLETE (semantics 4.23): a model's answer to one prompt, registered or given in full.
import type { Prompt } from '../../model/registry/prompt.js';
import { FinalFailure } from '../final-failure.js';
import {
  completed,
  ordinaryRun,
  ordinaryType,
  type SystemTask,
  type SystemTaskType,
} from '../system-task.js';
import { checkParameters, TaskInput, text } from '../task-input.js';
import {
  complete,
  completionParameters,
  completionRequest,
  modelUserOf,
  variablesIn,
  type ModelServices,
} from './completion.js';
import type { ModelUser } from './models.js';
import { filled, promptOf, promptText } from './prompt-text.js';

const parameters = { ...completionParameters, promptName: text, prompt: text };

export const textCompleteTask: SystemTaskType = {
  ...ordinaryType,
  name: 'LLM_TEXT_COMPLETE',
  check: checkParameters(parameters),
  create: createTextCompleteTask,
};

export function createTextCompleteTask(services: ModelServices): SystemTask {
  return {
    ...ordinaryRun,
    lane: ({ llmProvider }) => String(llmProvider),
    async run(run) {
      const input = new TaskInput(parameters, run.input);
      const user = modelUserOf(services.integrations, run);
      const { asked, prompt } = askedOf(services, user, input);
      const messages = [{ role: 'user', content: asked }];
      const request = completionRequest(input, prompt, { messages, tools: [] });
      const { output } = await complete(services, user, input, request);
      return completed(run, output);
    },
  };
}

function askedOf(
  services: ModelServices,
  user: ModelUser,
  input: TaskInput,
): { readonly asked: string; readonly prompt: Prompt | undefined } {
  const variables = variablesIn(input, services);
  const name = input.text('promptName');
  if (name !== '') {
    const version = input.number('promptVersion');
    const prompt = promptOf(services.prompts, user.caller, name, version);
    return { asked: promptText(prompt, variables), prompt };
  }
  const given = input.text('prompt');
  if (given === '') throw new FinalFailure('One of promptName and prompt is required');
  return { asked: filled(given, variables), prompt: undefined };
}
