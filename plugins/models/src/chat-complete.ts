// LLM_CHAT_COMPLETE (semantics 4.23): a conversation with a model, with tools that it may ask for.
// The workflow carries the tools out: their calls stand in the output.
import {
  FinalFailure,
  list,
  text,
  type TaskInput,
  type TaskRun,
  withVariables,
} from '@downbeat/plugin';
import { toMessages, toToolCalls, toTools } from './chat-messages.js';
import { completionType, promptNamed, variablesIn, type Asked } from './completion.js';
import type { Services } from './model-task.js';

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
function ask(services: Services, run: TaskRun, input: TaskInput): Asked {
  const instructions = input.text('instructions');
  const variables = variablesIn(input, services);
  const isName = instructions !== '' && services.prompts.has(instructions);
  const prompt = isName
    ? services.prompts.fill(run, promptNamed(instructions, input, variables))
    : undefined;
  const system = prompt?.text ?? withVariables(instructions, variables);
  const messages = [
    ...(system === '' ? [] : [{ role: 'system', content: system }]),
    ...toMessages(input.list('messages')),
    ...(input.has('userInput') ? [{ role: 'user', content: input.text('userInput') }] : []),
  ];
  if (messages.length > 0) return { messages, tools: toTools(input.list('tools')), prompt };
  throw new FinalFailure('One of instructions, messages and userInput is required');
}
