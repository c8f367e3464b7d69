// The registries that definitions and tasks refer to by name: schemas, prompts, integrations
// (contract-admin 13, 14, 16). The engine's side of the node reads them; their area serves them.
import { integrationRoutes } from './api/integrations/endpoints.js';
import { promptRoutes } from './api/prompts/endpoints.js';
import { schemaRoutes } from './api/schemas/endpoints.js';
import type { Administration } from './administration.js';
import type { Endpoint } from './api/endpoint.js';
import type { Settings } from './config.js';
import { apiForm, Integrations, providerForm } from './operation/integrations/integrations.js';
import {
  definitionForm,
  ProviderDefinitions,
} from './operation/integrations/provider-definitions.js';
import { limitForm, TokenUsage, usageForm } from './operation/integrations/token-usage.js';
import { promptForm, Prompts } from './operation/prompts/prompts.js';
import type { RecordTables } from './operation/records/record-tables.js';
import { JsonSchemas } from './operation/schemas/json-schema.js';
import { schemaForm, Schemas } from './operation/schemas/schemas.js';
import type { Clock } from './std/clock.js';
import type { Logger } from './telemetry/logger.js';

export interface RegistryParts {
  readonly settings: Settings;
  readonly log: Logger;
  readonly clock: Clock;
  readonly tables: RecordTables;
  readonly administration: Administration;
}

export class Registries {
  readonly jsonSchemas: JsonSchemas;
  readonly schemas: Schemas;
  readonly usage: TokenUsage;
  readonly integrations: Integrations;
  readonly prompts: Prompts;
  readonly #definitions: ProviderDefinitions;

  constructor(private readonly parts: RegistryParts) {
    const { settings, clock, tables, administration } = parts;
    const { access, ownership, tags, secretBox: box } = administration;
    this.jsonSchemas = new JsonSchemas(settings.schemaTimeMsMax);
    this.schemas = new Schemas({
      table: tables.open(schemaForm),
      ...{ clock, access, ownership },
      schemasMax: settings.schemasMax,
      check: ({ type, data }, path) => {
        if (type === 'JSON' && data !== undefined) this.jsonSchemas.check(data, path);
      },
    });
    this.usage = new TokenUsage({
      usage: tables.open(usageForm),
      limits: tables.open(limitForm),
      clock,
    });
    this.integrations = new Integrations({
      providers: tables.open(providerForm),
      apis: tables.open(apiForm),
      usage: this.usage,
      ...{ box, clock, access, ownership, tags },
      integrationsMax: settings.integrationsMax,
    });
    this.prompts = new Prompts({
      table: tables.open(promptForm),
      integrations: this.integrations,
      ...{ clock, access, ownership, tags },
      promptsMax: settings.promptsMax,
    });
    this.#definitions = new ProviderDefinitions(tables.open(definitionForm));
  }

  endpoints(): Endpoint[] {
    const { schemas, prompts, integrations, usage } = this;
    const { log, administration } = this.parts;
    const { tags } = administration;
    const definitions = this.#definitions;
    return [
      ...schemaRoutes(schemas),
      ...promptRoutes({ prompts, tags }),
      ...integrationRoutes({ integrations, definitions, prompts, usage, tags, log }),
    ];
  }
}
