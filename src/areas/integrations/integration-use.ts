// Opens an integration for a task or for a test of a prompt: whether the caller may use it, whether
// it is switched on, and its configuration with the secrets in place (contract-admin 14.3). A
// configuration is opened for one call and kept nowhere.
import type { Caller } from '../../model/caller.js';
import { AppError } from '../../model/errors.js';
import type { JsonMap } from '../../model/json.js';
import type { Category } from '../../model/provider-category.js';
import { FinalFailure } from '../../system-task/final-failure.js';
import type {
  IntegrationUse,
  IntegrationUser,
  StartedRun,
} from '../../system-task/integration-use.js';
import type { OpenIntegration } from '../../system-task/open-integration.js';
import { requireStarter } from '../../system-task/starter.js';
import type { Provider } from './integration.js';
import type { Integrations } from './integrations.js';
import { apiId } from './port.js';
import { isSealed, isSecretKey } from './provider-types.js';

/** The integration as a task may use it. All methods throw FinalFailure with the reason. */
export class OpenedIntegrations implements IntegrationUse {
  constructor(
    private readonly integrations: Integrations,
    private readonly starterOf: (startedBy: string | undefined) => Caller | undefined,
  ) {}

  /** The run with the rights of who started its execution. */
  userOf(run: StartedRun): IntegrationUser {
    const caller = requireStarter(this.starterOf, run);
    return { caller, hide: (secret) => run.hide(secret) };
  }

  /** A provider of one of the categories. */
  async provider(
    user: IntegrationUser,
    name: string,
    categories: readonly Category[],
  ): Promise<OpenIntegration> {
    return await asFailure(async () => {
      this.integrations.require(user.caller, 'READ', name);
      const provider = this.#enabled(name, categories);
      const configuration = await this.integrations.openProvider(provider);
      return opened(user, provider, configuration);
    });
  }

  /** A model of a provider; its own configuration stands before the provider's. */
  async model(user: IntegrationUser, provider: string, model: string): Promise<OpenIntegration> {
    return await asFailure(async () => {
      this.integrations.require(user.caller, 'READ', provider, model);
      const found = this.#enabled(provider, ['AI_MODEL']);
      const api = this.integrations.api(provider, model);
      if (!api.enabled) throw switchedOff(apiId(provider, model));
      const both = await this.integrations.openConfigurations(found, api);
      return opened(user, found, { ...both.provider, ...both.api });
    });
  }

  #enabled(name: string, categories: readonly Category[]): Provider {
    const provider = this.integrations.provider(name);
    if (!provider.enabled) throw switchedOff(name);
    if (!categories.includes(provider.category)) {
      throw new FinalFailure(
        `The integration ${name} is of the category ${provider.category}, not ${categories.join(' or ')}`,
      );
    }
    return provider;
  }
}

/** A text of a field that nobody knows is taken for a secret from this length on. */
const unknownCharsMin = 12;

function opened(
  user: IntegrationUser,
  provider: Provider,
  configuration: JsonMap,
): OpenIntegration {
  for (const [key, value] of Object.entries(configuration)) {
    if (typeof value !== 'string') continue;
    // Short texts of unknown fields, such as `true`, stand everywhere.
    if (isSecretKey(key) || (isSealed(key, value) && value.length >= unknownCharsMin)) {
      user.hide(value);
    }
  }
  return { name: provider.name, type: provider.type, configuration };
}

function switchedOff(name: string): FinalFailure {
  return new FinalFailure(`The integration ${name} is not enabled`);
}

/** Another attempt meets the same registry, so its refusals are final. */
async function asFailure<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError && error.kind !== 'unavailable' && error.kind !== 'internal') {
      throw new FinalFailure(error.message, { cause: error });
    }
    throw error;
  }
}
