// LLM_CHAT_COMPLETE (semantics 4.23): a conversation with a model, with tools that it may ask for.
// The workflow carries the tools out: their calls stand in the output.
import { FinalFailure } from '../../system-task/final-failure.js';
import { list, text, type TaskInput } from '../../system-task/task-input.js';
import { toMessages, toToolCalls, toTools } from './chat-messages.js';
import { completionType, variablesIn, type Asked, type ModelServices } from './completion.js';
import type { ModelUser } from './port.js';
import { filled } from '../prompts/port.js';
import { promptOf, promptText } from './prompt-text.js';

const notOffered = [
  'codeInterpreter',
  'fileSearchVectorStoreIds',
  'googleSearchRetrieval',
  'outputLocation',
  'participants',
  'previousResponseId',
  'thinkingTokenLimit',
  'topK',
  'voice',
  'webSearch',
];

export const chatCompleteTask = completionType({
  name: 'LLM_CHAT_COMPLETE',
  parameters: {
    instructions: text,
    messages: list,
    userInput: text,
    tools: list,
  },
  notOffered,
  ask,
  outputOf(answer, input) {
    const calls = toToolCalls(answer.tools, input.list('tools'));
    return calls.length === 0 ? {} : { toolCalls: calls };
  },
});

/** The instructions first, as the system's message; what the user says now last. */
function ask(services: ModelServices, user: ModelUser, input: TaskInput): Asked {
  const instructions = input.text('instructions');
  const variables = variablesIn(input, services);
  const isName = instructions !== '' && services.prompts.has(instructions);
  const prompt = isName
    ? promptOf(services.prompts, user.caller, instructions, input.number('promptVersion'))
    : undefined;
  const system =
    prompt === undefined ? filled(instructions, variables) : promptText(prompt, variables);
  const messages = [
    ...(system === '' ? [] : [{ role: 'system', content: system }]),
    ...toMessages(input.list('messages')),
    ...(input.has('userInput') ? [{ role: 'user', content: input.text('userInput') }] : []),
  ];
  if (messages.length > 0) return { messages, tools: toTools(input.list('tools')), prompt };
  throw new FinalFailure('One of instructions, messages and userInput is required');
}
