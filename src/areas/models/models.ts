// Calls to models: resolves the integration, keeps to the token limit of the model, makes the call
// and records the tokens that it used (contract-admin 14.2). Tasks and the test of a prompt go this
// way.
import { isMap, type Json, type JsonMap } from '../../model/json.js';
import type { IntegrationUse } from '../../system-task/integration-use.js';
import { headerOf, type OutboundResponse } from '../../system-task/outbound-request.js';
import { chatAnswer, chatBody, tokensOf, type ChatAnswer, type ChatRequest } from './chat.js';
import { modelEndpointOf, type ModelEndpoint } from './model-endpoint.js';
import type { AskModel, ModelUser } from './port.js';
import { callModel, jsonOf, ProviderError, type ModelRequestParts } from './model-request.js';
import type { TokenBudget, Tokens } from '../integrations/port.js';

export interface EmbeddingRequest {
  readonly model: string;
  readonly texts: readonly string[];
  /** undefined: as many as the model makes. */
  readonly dimensions: number | undefined;
}

export interface ModelsParts extends ModelRequestParts {
  readonly integrations: IntegrationUse;
  readonly usage: TokenBudget;
  /** Told when the tokens of a call could not be recorded; the call itself has succeeded. */
  readonly failed: (error: unknown) => void;
}

/** An image, a sound or a video that a provider generates. */
export interface Generated {
  readonly mimeType: string;
  readonly content: { readonly url: string } | { readonly bytes: Buffer };
}

/** Texts of one request for embeddings. */
const textsPerRequestMax = 64;

/** All methods reject with FinalFailure, OutboundError, or an Error that tells why. */
export class Models implements AskModel {
  constructor(private readonly parts: ModelsParts) {}

  async chat(user: ModelUser, provider: string, request: ChatRequest): Promise<ChatAnswer> {
    return await this.#use(user, provider, request.model, async (endpoint) => {
      const body = chatBody(endpoint, request);
      const response = await this.#post(user, endpoint, '/chat/completions', body);
      const answer = chatAnswer(endpoint, response);
      return { result: answer, tokens: answer.tokens };
    });
  }

  /** One vector for each text, in their order. */
  async embed(user: ModelUser, provider: string, request: EmbeddingRequest): Promise<number[][]> {
    const { model, texts, dimensions } = request;
    const vectors: number[][] = [];
    for (let first = 0; first < texts.length; first += textsPerRequestMax) {
      const some = texts.slice(first, first + textsPerRequestMax);
      const made = await this.#use(user, provider, model, async (endpoint) => {
        const body: JsonMap = { model, input: [...some], encoding_format: 'float' };
        if (dimensions !== undefined) body['dimensions'] = dimensions;
        const response = await this.#post(user, endpoint, '/embeddings', body);
        const answer = jsonOf(endpoint, response);
        return { result: vectorsOf(endpoint, answer, some.length), tokens: usedBy(answer) };
      });
      vectors.push(...made);
    }
    return vectors;
  }

  /** `body` without the model. */
  async images(
    user: ModelUser,
    provider: string,
    request: { readonly model: string; readonly body: JsonMap; readonly mimeType: string },
  ): Promise<Generated[]> {
    const { model, body, mimeType } = request;
    return await this.#use(user, provider, model, async (endpoint) => {
      const sent = { model, ...body };
      const response = await this.#post(user, endpoint, '/images/generations', sent);
      const answer = jsonOf(endpoint, response);
      return { result: imagesOf(endpoint, answer, mimeType), tokens: usedBy(answer) };
    });
  }

  /** `body` without the model. */
  async speech(
    user: ModelUser,
    provider: string,
    request: { readonly model: string; readonly body: JsonMap; readonly mimeType: string },
  ): Promise<Generated> {
    const { model, body, mimeType } = request;
    return await this.#use(user, provider, model, async (endpoint) => {
      const response = await this.#post(user, endpoint, '/audio/speech', { model, ...body });
      return { result: { mimeType, content: { bytes: response.body } }, tokens: noTokens };
    });
  }

  /** Starts a video; its id. `body` without the model. */
  async startVideo(
    user: ModelUser,
    provider: string,
    request: { readonly model: string; readonly body: JsonMap },
  ): Promise<JsonMap> {
    const { model, body } = request;
    return await this.#use(user, provider, model, async (endpoint) => {
      const response = await this.#post(user, endpoint, '/videos', { model, ...body });
      return { result: jsonOf(endpoint, response), tokens: noTokens };
    });
  }

  /** How far a video is. */
  async video(user: ModelUser, provider: string, model: string, id: string): Promise<JsonMap> {
    const endpoint = await this.#endpoint(user, provider, model);
    return jsonOf(endpoint, await this.#get(user, endpoint, `/videos/${encodeURIComponent(id)}`));
  }

  async videoContent(
    user: ModelUser,
    provider: string,
    model: string,
    id: string,
  ): Promise<Generated> {
    const endpoint = await this.#endpoint(user, provider, model);
    const path = `/videos/${encodeURIComponent(id)}/content`;
    const response = await this.#get(user, endpoint, path);
    const mimeType = headerOf(response, 'content-type').split(';')[0]?.trim() || 'video/mp4';
    return { mimeType, content: { bytes: response.body } };
  }

  async #endpoint(user: ModelUser, provider: string, model: string): Promise<ModelEndpoint> {
    return modelEndpointOf(await this.parts.integrations.model(user, provider, model));
  }

  /** A call that is counted. */
  async #use<T>(
    user: ModelUser,
    provider: string,
    model: string,
    call: (endpoint: ModelEndpoint) => Promise<{ result: T; tokens: Tokens }>,
  ): Promise<T> {
    const endpoint = await this.#endpoint(user, provider, model);
    this.parts.usage.requireRoom(provider, model);
    const { result, tokens } = await call(endpoint);
    if (tokens.totalTokens > 0) {
      await this.parts.usage.add(provider, model, tokens).catch(this.parts.failed);
    }
    return result;
  }

  async #post(
    { attemptKey, signal }: ModelUser,
    endpoint: ModelEndpoint,
    path: string,
    body: JsonMap,
  ): Promise<OutboundResponse> {
    return await callModel(this.parts, { endpoint, path, body, attemptKey, signal });
  }

  async #get(
    { attemptKey, signal }: ModelUser,
    endpoint: ModelEndpoint,
    path: string,
  ): Promise<OutboundResponse> {
    return await callModel(this.parts, { endpoint, path, attemptKey, signal });
  }
}

const noTokens: Tokens = { promptTokens: 0, completionTokens: 0, totalTokens: 0 };

function usedBy(answer: JsonMap): Tokens {
  return isMap(answer['usage']) ? tokensOf(answer['usage']) : noTokens;
}

function vectorsOf({ provider }: ModelEndpoint, answer: JsonMap, count: number): number[][] {
  const data = Array.isArray(answer['data']) ? answer['data'].filter(isMap) : [];
  const vectors = [...data]
    .sort((a, b) => indexOf(a) - indexOf(b))
    .map(({ embedding }) => (Array.isArray(embedding) ? embedding.map(Number) : []));
  const areWhole = vectors.every((vector) => vector.length > 0 && vector.every(Number.isFinite));
  if (vectors.length === count && areWhole) return vectors;
  throw new ProviderError(`${provider} answered without ${count} embeddings`);
}

function indexOf(item: JsonMap): number {
  return typeof item['index'] === 'number' ? item['index'] : 0;
}

function imagesOf({ provider }: ModelEndpoint, answer: JsonMap, mimeType: string): Generated[] {
  const data: Json[] = Array.isArray(answer['data']) ? answer['data'] : [];
  const images = data.filter(isMap).flatMap(({ url, b64_json: encoded }): Generated[] => {
    if (typeof encoded === 'string') {
      return [{ mimeType, content: { bytes: Buffer.from(encoded, 'base64') } }];
    }
    return typeof url === 'string' ? [{ mimeType, content: { url } }] : [];
  });
  if (images.length > 0) return images;
  throw new ProviderError(`${provider} answered without an image`);
}
