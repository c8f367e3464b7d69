// LLM_CHAT_COMPLETE (semantics 4.23): a conversation with a model, with tools that it may ask for.
// The workflow carries the tools out: their calls stand in the output.
import { FinalFailure } from '../final-failure.js';
import {
  completed,
  ordinaryRun,
  ordinaryType,
  type SystemTask,
  type SystemTaskType,
} from '../system-task.js';
import type { JsonMap } from '../../model/json.js';
import type { Prompt } from '../../model/registry/prompt.js';
import { checkParameters, list, TaskInput, text } from '../task-input.js';
import { toMessages, toToolCalls, toTools } from './chat-messages.js';
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

const parameters = {
  ...completionParameters,
  instructions: text,
  messages: list,
  userInput: text,
  tools: list,
};

/** Parameters of the field that no protocol spoken here offers. */
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

export const chatCompleteTask: SystemTaskType = {
  ...ordinaryType,
  name: 'LLM_CHAT_COMPLETE',
  check: checkParameters(parameters),
  create: createChatCompleteTask,
};

export function createChatCompleteTask(services: ModelServices): SystemTask {
  return {
    ...ordinaryRun,
    lane: ({ llmProvider }) => String(llmProvider),
    async run(run) {
      const input = new TaskInput(parameters, run.input);
      refuseNotOffered(run.input);
      const user = modelUserOf(services.integrations, run);
      const { messages, prompt } = messagesOf(services, user, input);
      const tools = input.list('tools');
      const request = completionRequest(input, prompt, { messages, tools: toTools(tools) });
      const { output, answer } = await complete(services, user, input, request);
      const calls = toToolCalls(answer.tools, tools);
      return completed(run, calls.length === 0 ? output : { ...output, toolCalls: calls });
    },
  };
}

function refuseNotOffered(input: JsonMap): void {
  const given = notOffered.find((name) => {
    const value = input[name] ?? null;
    const isEmpty = typeof value === 'object' && Object.keys(value ?? {}).length === 0;
    return !isEmpty && ![false, 'false', 0, ''].includes(value as never);
  });
  if (given === undefined) return;
  throw new FinalFailure(`inputParameters.${given} is not offered by the models of this server`);
}

/** The instructions first, as the system's message; what the user says now last. */
function messagesOf(
  services: ModelServices,
  user: ModelUser,
  input: TaskInput,
): { readonly messages: JsonMap[]; readonly prompt: Prompt | undefined } {
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
  if (messages.length > 0) return { messages, prompt };
  throw new FinalFailure('One of instructions, messages and userInput is required');
}
