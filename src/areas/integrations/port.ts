// Integrations as other areas see them: prompts name models, and events come from brokers.
import type { Right } from '../../access/access-rules.js';
import type { Caller } from '../../model/caller.js';
import type { JsonMap } from '../../model/json.js';
import type { IntegrationApi, Provider } from './integration.js';

export interface IntegrationLookup {
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

export { apiId } from './api-id.js';
