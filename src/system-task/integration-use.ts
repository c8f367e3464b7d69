// The contract of integrations with tasks and tests of prompts (contract-admin 14.3): whether the
// caller may use one, whether it is enabled, and its configuration with the secrets in place.
import type { Caller } from '../model/caller.js';
import type { Category } from '../model/provider-category.js';
import type { OpenIntegration } from './open-integration.js';

/** The caller that uses an integration. */
export interface IntegrationUser {
  readonly caller: Caller;
  /** Called with each secret of a configuration before it is used. */
  hide(secret: string): void;
}

/** A run of a task, as far as its rights go. */
export interface StartedRun extends Pick<IntegrationUser, 'hide'> {
  /** Subject id of who started the execution. */
  readonly startedBy: string | undefined;
}

/** All methods throw or reject with FinalFailure and the reason. */
export interface IntegrationUse {
  /** The run with the rights of who started its execution. */
  userOf(run: StartedRun): IntegrationUser;
  /** A provider of one of the categories. */
  provider(
    user: IntegrationUser,
    name: string,
    categories: readonly Category[],
  ): Promise<OpenIntegration>;
  /** A model of a provider; its own configuration stands before the provider's. */
  model(user: IntegrationUser, provider: string, model: string): Promise<OpenIntegration>;
}
