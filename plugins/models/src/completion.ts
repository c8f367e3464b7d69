// Parts that LLM_CHAT_COMPLETE and LLM_TEXT_COMPLETE share (semantics 4.23): the parameters that
// shape an answer, their defaults from the registered prompt, and the output.
import {
  completed,
  FinalFailure,
  flag,
  integerFrom,
  isMap,
  list,
  map,
  numberWithin,
  parseJson,
  requiredText,
  text,
  type AskedPrompt,
  type FilledPrompt,
  type Json,
  type JsonMap,
  type Parameters,
  type PluginTaskType,
  type Reach,
  type TaskInput,
  type TaskRun,
} from '@downbeat/plugin';
import type { ChatAnswer, ChatRequest } from './chat.js';
import { modelTask, type Services } from './model-task.js';

export const reachesModel: Reach = {
  right: 'READ',
  target: 'INTEGRATION',
  named: '`llmProvider` and `model`',
};
export const reachesPrompt: Reach = {
  right: 'READ',
  target: 'PROMPT',
  named: 'the name of a prompt',
};

/** The question of a type of completion to a model. */
export interface Asked extends Pick<ChatRequest, 'messages' | 'tools'> {
  /** The registered one that the task names. */
  readonly prompt: FilledPrompt | undefined;
}

/** The particular members of a type of completion. */
export interface CompletionKind {
  readonly name: string;
  /** Beside those that shape the answer. */
  readonly parameters: Parameters;
  /** Parameters of the field that no protocol spoken here offers. */
  readonly notOffered: readonly string[];
  ask(services: Services, run: TaskRun, input: TaskInput): Asked;
  /** Stands in the output beside the answer. */
  outputOf(answer: ChatAnswer, input: TaskInput): JsonMap;
}

/** The task type of a kind. */
export function completionType(kind: CompletionKind): PluginTaskType {
  return modelTask({
    name: kind.name,
    reaches: [reachesModel, reachesPrompt],
    parameters: { ...completionParameters, ...kind.parameters },
    lane: 'llmProvider',
    async run(services, run, input) {
      refuseNotOffered(kind, run.input);
      const request = completionRequest(input, kind.ask(services, run, input));
      const { output, answer } = await complete(services, run, input, request);
      return completed(run, { ...output, ...kind.outputOf(answer, input) });
    },
  });
}

function refuseNotOffered({ notOffered }: CompletionKind, input: JsonMap): void {
  const given = notOffered.find((name) => {
    const value = input[name] ?? null;
    const isEmpty = typeof value === 'object' && Object.keys(value ?? {}).length === 0;
    return !isEmpty && ![false, 'false', 0, ''].includes(value as never);
  });
  if (given === undefined) return;
  throw new FinalFailure(`inputParameters.${given} is not offered by the models of this server`);
}

const completionParameters: Parameters = {
  llmProvider: requiredText,
  model: requiredText,
  promptVariables: map,
  promptVersion: integerFrom(1),
  temperature: numberWithin(0),
  topP: numberWithin(0, 1),
  frequencyPenalty: numberWithin(-2, 2),
  presencePenalty: numberWithin(-2, 2),
  stopWords: list,
  maxTokens: integerFrom(0),
  reasoningEffort: text,
  jsonOutput: flag,
  outputMimeType: text,
  inputSchema: map,
  outputSchema: map,
};

const jsonType = /^application\/(?:[\w.+-]+\+)?json\b/i;

/** The settings of the prompt stand in for absent ones. */
function completionRequest(input: TaskInput, { messages, tools, prompt }: Asked): ChatRequest {
  const isJsonType = jsonType.test(input.text('outputMimeType'));
  const wantsJson = input.flag('jsonOutput') || isJsonType || prompt?.responseFormat === 'json';
  const schema = schemaOf(input, 'outputSchema');
  const hasWords = input.has('stopWords');
  return {
    model: input.text('model'),
    ...{ messages, tools },
    temperature: input.number('temperature') ?? prompt?.temperature,
    topP: input.number('topP') ?? prompt?.topP,
    frequencyPenalty: input.number('frequencyPenalty'),
    presencePenalty: input.number('presencePenalty'),
    stopWords: hasWords ? input.texts('stopWords') : (prompt?.stopWords ?? []),
    maxTokens: input.number('maxTokens'),
    reasoningEffort: input.text('reasoningEffort') || undefined,
    json: wantsJson || schema !== undefined ? { schema } : undefined,
  };
}

/** Makes the call; the output of the task. Throws an Error when the answer breaks the schema. */
async function complete(
  services: Services,
  run: TaskRun,
  input: TaskInput,
  request: ChatRequest,
): Promise<{ readonly output: JsonMap; readonly answer: ChatAnswer }> {
  const answer = await services.models.chat(run, input.text('llmProvider'), request);
  const { tokens, finishReason } = answer;
  const isText = request.json === undefined || answer.text === '';
  const result: Json = isText ? answer.text : jsonResult(services, request, answer.text);
  return {
    answer,
    output: {
      result,
      finishReason: finishReason.toUpperCase(),
      tokenUsed: tokens.totalTokens,
      promptTokens: tokens.promptTokens,
      completionTokens: tokens.completionTokens,
    },
  };
}

/** The fence that a model may put around the JSON that it was asked for. */
const fence = /^```(?:json)?\s*\n([\s\S]*?)\n?```$/;

function jsonResult(services: Services, { json }: ChatRequest, answer: string): Json {
  const plain = answer.trim();
  let value: Json;
  try {
    value = parseJson(fence.exec(plain)?.[1] ?? plain);
  } catch {
    throw new Error(`The model's answer is not JSON: ${plain.slice(0, 200)}`);
  }
  const schema = json?.schema;
  const violation =
    schema === undefined ? undefined : services.jsonSchemas.violation(schema, value);
  if (violation === undefined) return value;
  throw new Error(`The model's answer does not match outputSchema: ${violation}`);
}

/** The variables of the prompt. Throws FinalFailure when they break `inputSchema`. */
export function variablesIn(input: TaskInput, { jsonSchemas }: Services): JsonMap {
  const variables = input.map('promptVariables');
  const schema = schemaOf(input, 'inputSchema');
  const violation = schema === undefined ? undefined : jsonSchemas.violation(schema, variables);
  if (violation === undefined) return variables;
  throw new FinalFailure(`promptVariables do not match inputSchema: ${violation}`);
}

/** The registered prompt of a name, in the version that the task names. */
export function promptNamed(name: string, input: TaskInput, variables: JsonMap): AskedPrompt {
  return { name, version: input.number('promptVersion'), variables };
}

/** A schema, or a record of the schema registry that holds one as `data`. */
function schemaOf(input: TaskInput, name: string): JsonMap | undefined {
  if (!input.has(name)) return undefined;
  const given = input.map(name);
  if (isMap(given['data'])) return given['data'];
  if (typeof given['name'] === 'string' && given['type'] === 'JSON') {
    throw new FinalFailure(`inputParameters.${name} names a schema without its data`);
  }
  return given;
}
