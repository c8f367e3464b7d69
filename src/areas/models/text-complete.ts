// LLM_TEXT_COMPLETE (semantics 4.23): a model's answer to one prompt, registered or given in full.
import { FinalFailure } from '../../system-task/final-failure.js';
import { text, type TaskInput } from '../../system-task/task-input.js';
import { completionType, variablesIn, type Asked, type ModelServices } from './completion.js';
import type { ModelUser } from './port.js';
import { filled } from '../prompts/port.js';
import { promptOf, promptText } from './prompt-text.js';

export const textCompleteTask = completionType({
  name: 'LLM_TEXT_COMPLETE',
  parameters: { promptName: text, prompt: text },
  notOffered: [],
  ask,
  outputOf: () => ({}),
});

function ask(services: ModelServices, user: ModelUser, input: TaskInput): Asked {
  const variables = variablesIn(input, services);
  const name = input.text('promptName');
  if (name !== '') {
    const prompt = promptOf(services.prompts, user.caller, name, input.number('promptVersion'));
    return { ...asking(promptText(prompt, variables)), prompt };
  }
  const given = input.text('prompt');
  if (given === '') throw new FinalFailure('One of promptName and prompt is required');
  return { ...asking(filled(given, variables)), prompt: undefined };
}

function asking(content: string): Pick<Asked, 'messages' | 'tools'> {
  return { messages: [{ role: 'user', content }], tools: [] };
}
