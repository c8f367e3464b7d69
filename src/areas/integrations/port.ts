// Integrations as other areas see them: prompts name models, events come from brokers, and calls of
// models count their tokens (contract-admin 14.2).
import type { Right } from '../../access/access-rules.js';
import type { Caller } from '../../model/caller.js';
import type { JsonMap } from '../../model/json.js';
import type { IntegrationApi, Provider } from './integration.js';

export interface IntegrationLookup {
  /** A provider. */
  find(name: string): Provider | undefined;
  /** A provider. Throws AppError 'not-found'. */
  get(name: string): Provider;
  /** Throws AppError 'not-found'. */
  api(provider: string, api: string): IntegrationApi;
  /** A right on a provider, or on one of its models. Throws AppError 'forbidden'. */
  require(caller: Caller, right: Right, provider: string, api?: string): void;
  /** The whole configuration of a provider, for the connection that is made with it. */
  openProvider(provider: Provider): Promise<JsonMap>;
}

/** Tokens that calls of a model used. */
export interface Tokens {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly totalTokens: number;
}

/** Whether a model may use more tokens. */
export interface TokenBudget {
  /** Throws AppError 'too-many' when the model has used what it may in this period. */
  requireRoom(provider: string, model: string): void;
  /** Records what a call used. */
  add(provider: string, model: string, used: Tokens): Promise<void>;
}

export { apiId } from './api-id.js';
