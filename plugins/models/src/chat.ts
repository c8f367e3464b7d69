// Chat completions in the protocol of OpenAI. The answer is asked for as a stream, so that a model
// that thinks for long is told from one that is gone: the limit on silence counts from one piece to
// the next. The answer is built from its pieces here; a provider may also answer in one piece.
import {
  headerOf,
  isMap,
  parseJsonOrNull,
  type Json,
  type JsonMap,
  type OutboundResponse,
  type UsedTokens,
} from '@downbeat/plugin';
import type { ModelEndpoint } from './model-endpoint.js';
import { errorTextOf, jsonOf, ProviderError } from './model-request.js';

export interface ChatRequest {
  readonly model: string;
  /** In the protocol's form. */
  readonly messages: readonly JsonMap[];
  readonly tools: readonly JsonMap[];
  readonly temperature: number | undefined;
  readonly topP: number | undefined;
  readonly frequencyPenalty: number | undefined;
  readonly presencePenalty: number | undefined;
  readonly stopWords: readonly string[];
  /** undefined or 0: as many as the provider gives. */
  readonly maxTokens: number | undefined;
  readonly reasoningEffort: string | undefined;
  /** Whether the answer is to be JSON, and of which schema. */
  readonly json: { readonly schema: JsonMap | undefined } | undefined;
}

export interface ToolRequest {
  readonly id: string;
  readonly name: string;
  /** JSON text, as the model wrote it. */
  readonly arguments: string;
}

export interface ChatAnswer {
  readonly text: string;
  readonly tools: readonly ToolRequest[];
  /** As the provider says it; empty when it does not. */
  readonly finishReason: string;
  readonly tokens: UsedTokens;
}

export function chatBody(endpoint: ModelEndpoint, request: ChatRequest): JsonMap {
  const { messages, tools, maxTokens, json } = request;
  const optional: { [field: string]: Json | undefined } = {
    temperature: request.temperature,
    top_p: request.topP,
    frequency_penalty: request.frequencyPenalty,
    presence_penalty: request.presencePenalty,
    stop: request.stopWords.length === 0 ? undefined : [...request.stopWords],
    [endpoint.tokensField]: maxTokens === 0 ? undefined : maxTokens,
    reasoning_effort: request.reasoningEffort,
    tools: tools.length === 0 ? undefined : [...tools],
    response_format: json === undefined ? undefined : jsonFormat(json.schema),
    stream_options: endpoint.asksForUsage ? { include_usage: true } : undefined,
  };
  const body: JsonMap = { model: request.model, messages: [...messages], stream: true };
  for (const [field, value] of Object.entries(optional)) {
    if (value !== undefined) body[field] = value;
  }
  return body;
}

function jsonFormat(schema: JsonMap | undefined): JsonMap {
  if (schema === undefined) return { type: 'json_object' };
  return { type: 'json_schema', json_schema: { name: 'output', schema } };
}

/** Throws an Error when the answer is none, or broke off. */
export function chatAnswer(endpoint: ModelEndpoint, response: OutboundResponse): ChatAnswer {
  const pieces = new Pieces(endpoint.provider);
  if (headerOf(response, 'content-type').startsWith('text/event-stream')) {
    for (const event of eventsOf(response.body.toString('utf8'))) pieces.add(event);
  } else pieces.add(jsonOf(endpoint, response));
  return pieces.answer();
}

/** The JSON of the events of a stream, in order. */
function* eventsOf(text: string): Generator<JsonMap> {
  for (const line of text.split(/\r\n|\n|\r/)) {
    if (!line.startsWith('data:')) continue;
    const data = line.slice('data:'.length).trim();
    if (data === '' || data === '[DONE]') continue;
    const event = parseJsonOrNull(data);
    if (!isMap(event)) throw new ProviderError('The provider streamed something that is no JSON');
    yield event;
  }
}

/** Builds an answer from its pieces. */
class Pieces {
  #text = '';
  #finishReason = '';
  #tokens: UsedTokens = { promptTokens: 0, completionTokens: 0, totalTokens: 0 };
  readonly #tools = new Map<number, { id: string; name: string; arguments: string }>();

  constructor(private readonly provider: string) {}

  add(event: JsonMap): void {
    if (isMap(event['error']) || typeof event['error'] === 'string') {
      throw new ProviderError(`${this.provider} failed: ${errorTextOf(event)}`);
    }
    if (isMap(event['usage'])) this.#tokens = tokensOf(event['usage']);
    const choices = event['choices'];
    const choice = Array.isArray(choices) ? choices[0] : undefined;
    if (!isMap(choice)) return;
    const part = choice['delta'] ?? choice['message'];
    if (isMap(part)) this.#addPart(part);
    if (typeof choice['finish_reason'] === 'string') this.#finishReason = choice['finish_reason'];
  }

  answer(): ChatAnswer {
    if (this.#finishReason === '' && this.#text === '' && this.#tools.size === 0) {
      throw new ProviderError(`${this.provider} answered without a completion`);
    }
    if (this.#finishReason === '') {
      throw new ProviderError(`The answer of ${this.provider} broke off`);
    }
    return {
      text: this.#text,
      tools: [...this.#tools.values()],
      finishReason: this.#finishReason,
      tokens: this.#tokens,
    };
  }

  #addPart(part: JsonMap): void {
    if (typeof part['content'] === 'string') this.#text += part['content'];
    const calls = part['tool_calls'];
    if (!Array.isArray(calls)) return;
    for (const [position, call] of calls.entries()) {
      if (!isMap(call)) continue;
      const index = typeof call['index'] === 'number' ? call['index'] : position;
      const known = this.#tools.get(index) ?? { id: '', name: '', arguments: '' };
      const named = isMap(call['function']) ? call['function'] : {};
      this.#tools.set(index, {
        id: textOf(call['id']) || known.id,
        name: known.name + textOf(named['name']),
        arguments: known.arguments + textOf(named['arguments']),
      });
    }
  }
}

/** `usage` of an answer. */
export function tokensOf(usage: JsonMap): UsedTokens {
  const promptTokens = countOf(usage['prompt_tokens'] ?? usage['input_tokens']);
  const completionTokens = countOf(usage['completion_tokens'] ?? usage['output_tokens']);
  const totalTokens = countOf(usage['total_tokens']) || promptTokens + completionTokens;
  return { promptTokens, completionTokens, totalTokens };
}

function countOf(value: Json | undefined): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
