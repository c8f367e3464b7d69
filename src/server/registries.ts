// The registries that tasks refer to by name: integrations and remote services
// (contract-admin 14 and 15). The engine's side of the node reads them; their area serves them.
import { integrationRoutes } from '../api/integrations/endpoints.js';
import { remoteServiceRoutes } from '../api/remote-services/endpoints.js';
import type { Administration } from './administration.js';
import type { Endpoint } from '../api/endpoint.js';
import type { Settings } from './settings-table.js';
import { apiForm, Integrations, providerForm } from '../operation/integrations/integrations.js';
import {
  definitionForm,
  ProviderDefinitions,
} from '../operation/integrations/provider-definitions.js';
import { limitForm, TokenUsage, usageForm } from '../operation/integrations/token-usage.js';
import { AppError } from '../model/errors.js';
import type { RemoteService } from '../model/registry/remote-service.js';
import { breakerForm, CircuitBreakers } from '../operation/remote-services/circuit-breakers.js';
import { fetchJson } from '../operation/remote-services/fetch-json.js';
import {
  protoForm,
  RemoteServices,
  serviceForm,
} from '../operation/remote-services/remote-services.js';
import type { RecordTables } from '../operation/records/record-tables.js';
import type { Clock } from '../std/clock.js';
import type { Lent } from '../areas/lent.js';
import type { GrpcMethod } from '../operation/remote-services/grpc-method.js';
import type { DescribedServer } from '../plugin/plugin.js';
import type { VectorStore } from '../store/vector-store.js';
import { IntegrationUse } from '../system-task/integration-use.js';
import { Models } from '../system-task/models/models.js';
import type { OutboundClient } from '../system-task/outbound-client.js';
import type { Logger } from '../telemetry/logger.js';

export interface RegistryParts {
  readonly settings: Settings;
  readonly log: Logger;
  readonly clock: Clock;
  readonly tables: RecordTables;
  readonly administration: Administration;
  /** Reads the descriptions of remote services and calls models. */
  readonly client: OutboundClient;
  /** Asks a gRPC server for its methods. */
  readonly describe: (asked: DescribedServer) => Promise<readonly GrpcMethod[]>;
  /** Of the area schemas, which opens later; asked only by requests. */
  readonly registerSchemas: Lent['registerSchemas'];
  readonly vectors: VectorStore;
  /** Told of errors that nothing else reports. */
  readonly failed: (error: unknown) => void;
}

export class Registries {
  readonly usage: TokenUsage;
  readonly integrations: Integrations;
  readonly integrationUse: IntegrationUse;
  readonly models: Models;
  readonly remoteServices: RemoteServices;
  readonly breakers: CircuitBreakers;
  readonly #definitions: ProviderDefinitions;

  constructor(private readonly parts: RegistryParts) {
    const { settings, clock, tables, administration } = parts;
    const { access, ownership, tags, secretBox: box } = administration;
    this.usage = new TokenUsage({
      usage: tables.open(usageForm),
      limits: tables.open(limitForm),
      clock,
    });
    this.#definitions = new ProviderDefinitions(tables.open(definitionForm));
    this.integrations = new Integrations({
      providers: tables.open(providerForm),
      apis: tables.open(apiForm),
      usage: this.usage,
      ...{ box, clock, access, ownership, tags, vectors: parts.vectors },
      categoryOf: (type) => this.#definitions.categoryOf(type),
      integrationsMax: settings.integrationsMax,
    });
    this.remoteServices = new RemoteServices({
      services: tables.open(serviceForm),
      protos: tables.open(protoForm),
      ...{ box, access, ownership },
      fetchJson: (address) => fetchJson(address, (url) => get(parts.client, url)),
      reflect: (service) => this.#reflected(service),
      registerSchemas: parts.registerSchemas,
      remoteServicesMax: settings.remoteServicesMax,
      protoFilesMax: settings.protoFilesMax,
    });
    this.breakers = new CircuitBreakers({
      orders: tables.open(breakerForm),
      find: (name) => this.remoteServices.find(name),
      clock,
    });
    this.integrationUse = new IntegrationUse(this.integrations, (startedBy) =>
      administration.starter(startedBy),
    );
    this.models = this.#createModels(parts.failed);
  }

  /** The models behind the integrations; `failed`: told what nothing else reports. */
  #createModels(failed: (error: unknown) => void): Models {
    const { client, clock, settings } = this.parts;
    return new Models({
      ...{ client, clock, failed, usage: this.usage, integrations: this.integrationUse },
      silenceMsMax: settings.modelSilenceMsMax,
    });
  }

  /** What the server of a gRPC service tells of itself. */
  async #reflected(service: RemoteService): Promise<readonly GrpcMethod[]> {
    const { serviceURI: address, useSSL = false, trustCert = false } = service;
    const header = await this.remoteServices.header(service);
    const headers = new Map(header === undefined ? [] : [[header.key.toLowerCase(), header.value]]);
    const timeoutMs = discoveryTimeMs;
    try {
      return await this.parts.describe({ address, useSSL, trustCert, headers, timeoutMs });
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      const message = `The service does not describe itself: ${why}`;
      throw new AppError('bad-request', message, { cause });
    }
  }

  endpoints(): Endpoint[] {
    const { integrations, usage } = this;
    const { log, administration } = this.parts;
    const { tags } = administration;
    const definitions = this.#definitions;
    return [
      ...remoteServiceRoutes(this.remoteServices, this.breakers),
      ...integrationRoutes({ integrations, definitions, usage, tags, log }),
    ];
  }
}

const discoveryTimeMs = 10_000;

async function get(client: OutboundClient, url: URL): ReturnType<OutboundClient['request']> {
  return await client.request({
    url,
    method: 'GET',
    headers: new Map([['accept', 'application/json']]),
    body: undefined,
    connectTimeoutMs: discoveryTimeMs,
    readTimeoutMs: discoveryTimeMs,
    followRedirects: true,
    signal: AbortSignal.timeout(discoveryTimeMs),
  });
}
