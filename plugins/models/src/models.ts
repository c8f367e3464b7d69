// Calls to models: resolves the integration, keeps to the token limit of the model, makes the call
// and records the tokens that it used (contract-admin 14.2). Tasks and the test of a prompt go this
// way.
import {
  headerOf,
  isMap,
  type Json,
  type JsonMap,
  type OutboundResponse,
  type PromptTestServices,
  type TaskRun,
  type UsedTokens,
} from '@downbeat/plugin';
import { chatAnswer, chatBody, tokensOf, type ChatAnswer, type ChatRequest } from './chat.js';
import { modelEndpointOf, type ModelEndpoint } from './model-endpoint.js';
import { callModel, jsonOf, ProviderError, type ModelRequestParts } from './model-request.js';

export interface EmbeddingRequest {
  readonly model: string;
  readonly texts: readonly string[];
  /** undefined: as many as the model makes. */
  readonly dimensions: number | undefined;
}

/** The attempt that a call is made for, with the rights of its starter. */
export type ModelRun = Pick<TaskRun, 'startedBy' | 'hide' | 'attemptKey' | 'signal'>;

/** An image, a sound or a video that a provider generates. */
export interface Generated {
  readonly mimeType: string;
  readonly content: { readonly url: string } | { readonly bytes: Buffer };
}

/** Texts of one request for embeddings. */
const textsPerRequestMax = 64;

/** All methods reject with FinalFailure, OutboundError, or an Error that tells why. */
export class Models {
  readonly #parts: ModelRequestParts;

  constructor(private readonly services: PromptTestServices) {
    const { client, clock, settings } = services;
    this.#parts = { client, clock, silenceMsMax: Number(settings['silenceMsMax']) };
  }

  async chat(run: ModelRun, provider: string, request: ChatRequest): Promise<ChatAnswer> {
    return await this.#use(run, provider, request.model, async (endpoint) => {
      const body = chatBody(endpoint, request);
      const response = await this.#post(run, endpoint, '/chat/completions', body);
      const answer = chatAnswer(endpoint, response);
      return { result: answer, tokens: answer.tokens };
    });
  }

  /** One vector for each text, in their order. */
  async embed(run: ModelRun, provider: string, request: EmbeddingRequest): Promise<number[][]> {
    const { model, texts, dimensions } = request;
    const vectors: number[][] = [];
    for (let first = 0; first < texts.length; first += textsPerRequestMax) {
      const some = texts.slice(first, first + textsPerRequestMax);
      const made = await this.#use(run, provider, model, async (endpoint) => {
        const body: JsonMap = { model, input: [...some], encoding_format: 'float' };
        if (dimensions !== undefined) body['dimensions'] = dimensions;
        const response = await this.#post(run, endpoint, '/embeddings', body);
        const answer = jsonOf(endpoint, response);
        return { result: vectorsOf(endpoint, answer, some.length), tokens: usedBy(answer) };
      });
      vectors.push(...made);
    }
    return vectors;
  }

  /** `body` without the model. */
  async images(
    run: ModelRun,
    provider: string,
    request: { readonly model: string; readonly body: JsonMap; readonly mimeType: string },
  ): Promise<Generated[]> {
    const { model, body, mimeType } = request;
    return await this.#use(run, provider, model, async (endpoint) => {
      const sent = { model, ...body };
      const response = await this.#post(run, endpoint, '/images/generations', sent);
      const answer = jsonOf(endpoint, response);
      return { result: imagesOf(endpoint, answer, mimeType), tokens: usedBy(answer) };
    });
  }

  /** `body` without the model. */
  async speech(
    run: ModelRun,
    provider: string,
    request: { readonly model: string; readonly body: JsonMap; readonly mimeType: string },
  ): Promise<Generated> {
    const { model, body, mimeType } = request;
    return await this.#use(run, provider, model, async (endpoint) => {
      const response = await this.#post(run, endpoint, '/audio/speech', { model, ...body });
      return { result: { mimeType, content: { bytes: response.body } }, tokens: noTokens };
    });
  }

  /** Starts a video; its id. `body` without the model. */
  async startVideo(
    run: ModelRun,
    provider: string,
    request: { readonly model: string; readonly body: JsonMap },
  ): Promise<JsonMap> {
    const { model, body } = request;
    return await this.#use(run, provider, model, async (endpoint) => {
      const response = await this.#post(run, endpoint, '/videos', { model, ...body });
      return { result: jsonOf(endpoint, response), tokens: noTokens };
    });
  }

  /** How far a video is. */
  async video(run: ModelRun, provider: string, model: string, id: string): Promise<JsonMap> {
    const endpoint = await this.#endpoint(run, provider, model);
    return jsonOf(endpoint, await this.#get(run, endpoint, `/videos/${encodeURIComponent(id)}`));
  }

  async videoContent(
    run: ModelRun,
    provider: string,
    model: string,
    id: string,
  ): Promise<Generated> {
    const endpoint = await this.#endpoint(run, provider, model);
    const path = `/videos/${encodeURIComponent(id)}/content`;
    const response = await this.#get(run, endpoint, path);
    const mimeType = headerOf(response, 'content-type').split(';')[0]?.trim() || 'video/mp4';
    return { mimeType, content: { bytes: response.body } };
  }

  async #endpoint(run: ModelRun, provider: string, model: string): Promise<ModelEndpoint> {
    return modelEndpointOf(await this.services.integrations.model(run, provider, model));
  }

  /** A call that is counted. */
  async #use<T>(
    run: ModelRun,
    provider: string,
    model: string,
    call: (endpoint: ModelEndpoint) => Promise<{ result: T; tokens: UsedTokens }>,
  ): Promise<T> {
    const endpoint = await this.#endpoint(run, provider, model);
    this.services.tokenBudget.requireRoom(provider, model);
    const { result, tokens } = await call(endpoint);
    if (tokens.totalTokens > 0) {
      await this.services.tokenBudget.add(provider, model, tokens);
    }
    return result;
  }

  async #post(
    { attemptKey, signal }: ModelRun,
    endpoint: ModelEndpoint,
    path: string,
    body: JsonMap,
  ): Promise<OutboundResponse> {
    return await callModel(this.#parts, { endpoint, path, body, attemptKey, signal });
  }

  async #get(
    { attemptKey, signal }: ModelRun,
    endpoint: ModelEndpoint,
    path: string,
  ): Promise<OutboundResponse> {
    return await callModel(this.#parts, { endpoint, path, attemptKey, signal });
  }
}

const noTokens: UsedTokens = { promptTokens: 0, completionTokens: 0, totalTokens: 0 };

function usedBy(answer: JsonMap): UsedTokens {
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
