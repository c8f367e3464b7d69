// The task types and brokers of a server: its own, those of the plug-ins that are loaded, and the
// task types of those that are not, whose tasks fail with the way to install them.
import type { BrokerKind } from '../broker/broker-kind.js';
import { ownBrokerKinds } from '../broker/list.js';
import type { JsonMap } from '../model/json.js';
import { knownPlugins, packageOfPlugin, type KnownPlugin } from '../model/known-plugins.js';
import { Lookup } from '../std/lookup.js';
import type { DocumentReader } from '../system-task/documents/document-reader.js';
import type { GrpcMethod } from '../system-task/grpc-method.js';
import { FinalFailure } from '../system-task/final-failure.js';
import type { SystemTaskType } from '../system-task/system-task.js';
import type { VectorStoreKind } from '../system-task/vectors/vector-store-kind.js';
import type {
  OpenTracing,
  Plugin,
  PromptTest,
  PromptTestServices,
  TracingFacts,
} from './plugin.js';
import type { PluginSettingValues } from './plugin-services.js';
import { absentTaskType, systemTaskTypeOf } from './plugin-task-type.js';

export interface LoadedPlugin {
  readonly plugin: Plugin;
  readonly version: string;
  readonly settings: PluginSettingValues;
}

/** A plug-in that is installed and cannot be used. */
export interface FailedPlugin {
  readonly name: string;
  readonly reason: string;
}

export interface LoadedPluginsParts {
  /** The task types of the server itself and of its areas. */
  readonly ownTaskTypes: readonly SystemTaskType[];
  readonly loaded: readonly LoadedPlugin[];
  readonly failed: readonly FailedPlugin[];
  /** Whether the server runs from a clone, where the plug-ins lie beside it. */
  readonly isClone: boolean;
}

export class LoadedPlugins {
  /** By the type of configurations and records. */
  readonly taskTypes: ReadonlyMap<string, SystemTaskType>;
  readonly brokerKinds: Lookup<BrokerKind>;
  readonly vectorStores: Lookup<VectorStoreKind>;
  readonly documentReaders: Lookup<DocumentReader>;
  readonly #used: readonly LoadedPlugin[];
  readonly #failed: FailedPlugin[];
  #tracing: { readonly name: string; readonly trouble: () => string | undefined } | undefined;
  /** By task type or first part of an event's name: why nothing serves it here. */
  readonly #absent = new Map<string, string>();

  constructor(private readonly parts: LoadedPluginsParts) {
    const types = new Map(parts.ownTaskTypes.map((type) => [type.name, type]));
    const kinds = [...ownBrokerKinds];
    this.#failed = [...parts.failed];
    this.#used = parts.loaded.filter((each) => this.#take(each, types, kinds));
    const stores = this.#used.flatMap(({ plugin }) => plugin.vectorStores ?? []);
    const readers = this.#used.flatMap(({ plugin }) => plugin.documentReaders ?? []);
    const absence = (name: string): string | undefined => this.#absent.get(name);
    this.taskTypes = types;
    this.brokerKinds = new Lookup(kinds, ({ eventKinds }) => eventKinds, absence);
    this.vectorStores = new Lookup(stores, ({ providerType }) => [providerType], absence);
    this.documentReaders = new Lookup(readers, ({ mediaType }) => [mediaType], absence);
    for (const known of knownPlugins) this.#noteAbsent(known, types);
  }

  #noteAbsent(
    { name, taskTypes, eventKinds, vectorStores, mediaTypes }: KnownPlugin,
    types: Map<string, SystemTaskType>,
  ): void {
    const reason = this.#reason(name);
    for (const type of taskTypes.filter((each) => !types.has(each))) {
      this.#absent.set(type, `Tasks of type ${type} ${reason}`);
      types.set(type, absentTaskType(type, `Tasks of type ${type} ${reason}`));
    }
    for (const kind of eventKinds.filter((each) => !this.brokerKinds.find(each))) {
      this.#absent.set(kind, `Events ${kind}:... ${reason}`);
    }
    for (const type of vectorStores.filter((each) => !this.vectorStores.find(each))) {
      this.#absent.set(type, `Vector stores of the type ${type} ${reason}`);
    }
    for (const type of mediaTypes.filter((each) => !this.documentReaders.find(each))) {
      this.#absent.set(type, `Documents of the type ${type} ${reason}`);
    }
  }

  /** Asks a gRPC server for its methods. Throws an Error where no plug-in speaks gRPC. */
  async describeServer(
    ...[services, asked]: Parameters<NonNullable<Plugin['describeServer']>>
  ): Promise<readonly GrpcMethod[]> {
    const speaker = this.#used.find(({ plugin }) => plugin.describeServer !== undefined);
    if (speaker?.plugin.describeServer === undefined) {
      throw new Error(`calls over gRPC ${this.#reason('grpc')}`);
    }
    return await speaker.plugin.describeServer(services, asked);
  }

  /** Asks a model for the test of a prompt. Throws FinalFailure where no plug-in asks models. */
  async testPrompt(
    services: Omit<PromptTestServices, 'settings'>,
    test: PromptTest,
  ): Promise<string> {
    const asker = this.#used.find(({ plugin }) => plugin.testPrompt !== undefined);
    if (asker?.plugin.testPrompt === undefined) {
      throw new FinalFailure(`Calls of models ${this.#reason('models')}`);
    }
    return await asker.plugin.testPrompt({ ...services, settings: asker.settings }, test);
  }

  /**
   * Opens the way that spans take; undefined, with a warning, where no plug-in takes them or the
   * one that does cannot.
   */
  async openTracing(facts: TracingFacts): Promise<OpenTracing | undefined> {
    const taker = this.#used.find(({ plugin }) => plugin.tracing !== undefined);
    if (taker?.plugin.tracing === undefined) {
      facts.warn(`Traces, which the variables OTEL_* ask for, ${this.#reason('opentelemetry')}`);
      return undefined;
    }
    const { name } = taker.plugin;
    try {
      const open = await taker.plugin.tracing.open(facts);
      this.#tracing = { name, trouble: open.trouble };
      return open;
    } catch (error) {
      const reason = `there are no traces: ${(error as Error).message}`;
      facts.warn(`The plug-in ${name}: ${reason}`);
      this.#tracing = { name, trouble: () => reason };
      return undefined;
    }
  }

  get used(): readonly LoadedPlugin[] {
    return this.#used;
  }

  get failed(): readonly FailedPlugin[] {
    return this.#failed;
  }

  /** Name and version of each that is used. */
  get names(): string[] {
    return this.#used.map(({ plugin, version }) => `${plugin.name} ${version}`.trim());
  }

  /** Why tasks of a type cannot run here; undefined: they can, or workers take them. */
  absence(type: string): string | undefined {
    return this.#absent.get(type);
  }

  /** The command that installs a plug-in made with the server. */
  installCommand(name: string): string {
    return this.parts.isClone
      ? `npm run setup:plugins -- ${name}`
      : `npm install ${packageOfPlugin(name)}`;
  }

  /** For /health: plug-ins that did not load or say that something is wrong. */
  healthDetails(): JsonMap {
    const troubles = [
      ...this.#failed.map(({ name, reason }) => [name, reason] as const),
      ...this.#used.flatMap(({ plugin }) => {
        const trouble = healthOf(plugin);
        return trouble === undefined ? [] : [[plugin.name, trouble] as const];
      }),
    ];
    const untraced = this.#tracing?.trouble();
    if (this.#tracing !== undefined && untraced !== undefined) {
      troubles.push([this.#tracing.name, untraced]);
    }
    return troubles.length === 0 ? {} : { plugins: Object.fromEntries(troubles) };
  }

  /** False, and noted, where another one has its names already. */
  #take(
    { plugin, settings }: LoadedPlugin,
    types: Map<string, SystemTaskType>,
    kinds: BrokerKind[],
  ): boolean {
    const { name, taskTypes = [], brokerKinds = [] } = plugin;
    const type = taskTypes.find((each) => types.has(each.name))?.name;
    const events = brokerKinds
      .flatMap((kind) => kind.eventKinds)
      .find((each) => kinds.some((kind) => kind.eventKinds.includes(each)));
    const isSecond = this.parts.loaded.find((each) => each.plugin.name === name)?.plugin !== plugin;
    const taken = type ?? events ?? (isSecond ? `the routes and settings of ${name}` : undefined);
    if (taken !== undefined) {
      this.#failed.push({ name, reason: `something else serves ${taken} already` });
      return false;
    }
    for (const each of taskTypes) types.set(each.name, systemTaskTypeOf(each, settings));
    kinds.push(...brokerKinds);
    return true;
  }

  /** Goes on from "Tasks of type X" or "Events x:...". */
  #reason(name: string): string {
    const failure = this.#failed.find((each) => each.name === name);
    if (failure !== undefined) {
      return `need the plug-in ${name}, which did not load: ${failure.reason}`;
    }
    return `need the plug-in ${name}, which is not installed: run \`${this.installCommand(name)}\` and start the server again`;
  }
}

function healthOf({ health }: Plugin): string | undefined {
  try {
    return health?.();
  } catch (error) {
    return `its health check failed: ${String(error)}`;
  }
}
