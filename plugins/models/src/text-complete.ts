// LLM_TEXT_COMPLETE (semantics 4.23): a model's answer to one prompt, registered or given in full.
import { FinalFailure, text, type TaskInput, type TaskRun, withVariables } from '@downbeat/plugin';
import { completionType, promptNamed, variablesIn, type Asked } from './completion.js';
import type { Services } from './model-task.js';

export const textCompleteTask = completionType({
  name: 'LLM_TEXT_COMPLETE',
  parameters: { promptName: text, prompt: text },
  notOffered: [],
  ask,
  outputOf: () => ({}),
});

function ask(services: Services, run: TaskRun, input: TaskInput): Asked {
  const variables = variablesIn(input, services);
  const name = input.text('promptName');
  if (name !== '') {
    const prompt = services.prompts.fill(run, promptNamed(name, input, variables));
    return { ...asking(prompt.text), prompt };
  }
  const given = input.text('prompt');
  if (given === '') throw new FinalFailure('One of promptName and prompt is required');
  return { ...asking(withVariables(given, variables)), prompt: undefined };
}

function asking(content: string): Pick<Asked, 'messages' | 'tools'> {
  return { messages: [{ role: 'user', content }], tools: [] };
}
