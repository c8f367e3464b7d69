// Messages and tools of LLM_CHAT_COMPLETE (semantics 4.23) in the form of the protocol and back.
import {
  FinalFailure,
  isMap,
  parseJson,
  textFrom,
  toJsonText,
  type Json,
  type JsonMap,
} from '@downbeat/plugin';
import type { ToolRequest } from './chat.js';

const roles: { readonly [role: string]: string } = {
  user: 'user',
  human: 'user',
  assistant: 'assistant',
  system: 'system',
  tool: 'tool',
  tool_call: 'assistant',
};

/** Throws FinalFailure that names the message and the rule. */
export function toMessages(messages: readonly Json[]): JsonMap[] {
  return messages.flatMap((message, index) => {
    const path = `inputParameters.messages[${index}]`;
    if (!isMap(message)) throw new FinalFailure(`${path} must be an object`);
    const named = typeof message['role'] === 'string' ? message['role'].toLowerCase() : '';
    const role = Object.hasOwn(roles, named) ? roles[named] : undefined;
    if (role === undefined) {
      throw new FinalFailure(`${path}.role must be one of ${Object.keys(roles).join(', ')}`);
    }
    const text = textFrom(message['message'] ?? message['content'] ?? '');
    if (role === 'tool') return toolResults(message, text, path);
    const calls = toolCallsOf(message, path);
    if (role === 'assistant' && calls.length > 0) {
      return [{ role, content: text === '' ? null : text, tool_calls: calls.map(toProtocolCall) }];
    }
    return [{ role, content: contentOf(message, text) }];
  });
}

/** A text alone, or with the media that the message names. */
function contentOf(message: JsonMap, text: string): Json {
  const media = Array.isArray(message['media']) ? message['media'] : [];
  if (media.length === 0) return text;
  return [
    ...(text === '' ? [] : [{ type: 'text', text }]),
    ...media.map((item) => ({ type: 'image_url', image_url: { url: textFrom(item) } })),
  ];
}

function toolCallsOf(message: JsonMap, path: string): JsonMap[] {
  const calls = message['toolCalls'];
  if (calls === undefined || calls === null) return [];
  if (Array.isArray(calls) && calls.every(isMap)) return calls;
  throw new FinalFailure(`${path}.toolCalls must be a list of objects`);
}

function toProtocolCall(call: JsonMap): JsonMap {
  return {
    id: textFrom(call['taskReferenceName'] ?? ''),
    type: 'function',
    function: {
      name: textFrom(call['name'] ?? ''),
      arguments: toJsonText(call['inputParameters'] ?? {}),
    },
  };
}

/** One message for each tool that was called. */
function toolResults(message: JsonMap, text: string, path: string): JsonMap[] {
  const calls = toolCallsOf(message, path);
  if (calls.length === 0) throw new FinalFailure(`${path}.toolCalls must name the call`);
  return calls.map((call) => ({
    role: 'tool',
    tool_call_id: textFrom(call['taskReferenceName'] ?? ''),
    content: textFrom(call['output'] ?? text),
  }));
}

/** Throws FinalFailure that names the tool and the rule. */
export function toTools(tools: readonly Json[]): JsonMap[] {
  return tools.map((tool, index) => {
    const path = `inputParameters.tools[${index}]`;
    if (!isMap(tool)) throw new FinalFailure(`${path} must be an object`);
    const { name, description, inputSchema } = tool;
    if (typeof name !== 'string' || name === '') throw new FinalFailure(`${path}.name is required`);
    const parameters = isMap(inputSchema) ? inputSchema : { type: 'object', properties: {} };
    const described = typeof description === 'string' ? { description } : {};
    return { type: 'function', function: { name, ...described, parameters } };
  });
}

/** The tool calls that the model asks for, with the type that the task gave the tool. */
export function toToolCalls(requests: readonly ToolRequest[], tools: readonly Json[]): JsonMap[] {
  const byName = new Map(tools.filter(isMap).map((tool) => [tool['name'], tool] as const));
  return requests.map((request) => {
    const tool = byName.get(request.name);
    const names = tool?.['integrationNames'];
    return {
      taskReferenceName: request.id,
      name: request.name,
      type: typeof tool?.['type'] === 'string' ? tool['type'] : 'SIMPLE',
      inputParameters: argumentsOf(request),
      ...(isMap(names) ? { integrationNames: names } : {}),
    };
  });
}

function argumentsOf({ name, arguments: text }: ToolRequest): JsonMap {
  if (text.trim() === '') return {};
  try {
    const value = parseJson(text);
    if (isMap(value)) return value;
  } catch {
    // Told below: a model may write anything.
  }
  throw new Error(`The model called the tool ${name} with arguments that are no JSON object`);
}
