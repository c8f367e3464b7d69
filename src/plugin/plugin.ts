// The contract between the server and a plug-in (docs/plugins.md): a package whose main module
// exports `plugin`. The server finds it by name when it starts, takes its task types and kinds of
// brokers beside its own, and lends it services that are checked and bounded as its own tasks are
// (invariants S1). Nothing that is stored names a plug-in, so it may come and go.
import type { Socket } from 'node:net';
import type {
  BrokerKind,
  BrokerPublication,
  BrokerTarget,
  ConnectionGuard,
} from '../broker/broker-kind.js';
import type { Reach } from '../engine/reaches.js';
import type { ConfiguredInput, KnownTemplates } from '../model/input-rules.js';
import type { Json, JsonMap } from '../model/json.js';
import type { GrpcMethod, ProtoSource } from '../system-task/grpc-method.js';
import type { Clock } from '../std/clock.js';
import type {
  DocumentAddress,
  DocumentReader,
  PluginJobs,
  LoadedDocument,
} from '../system-task/documents/document-reader.js';
import type { OpenIntegration } from '../system-task/open-integration.js';
import type { CalledService, RemoteTarget } from '../system-task/remote-target.js';
import type { TaskOutcome, TaskRun } from '../system-task/task-run.js';
import type { VectorIndexes, VectorStoreKind } from '../system-task/vectors/vector-store-kind.js';
import type { Tracer } from '../telemetry/tracer.js';
import type { PluginArea } from './plugin-area.js';
import type { PluginHttp, PluginSettingValues } from './plugin-services.js';

/** Number of this contract. A plug-in that was written for another one is not loaded. */
export const pluginContract = 1;

export interface Plugin {
  readonly contract: typeof pluginContract;
  /** One word; names it in settings, the log and /health. */
  readonly name: string;
  readonly taskTypes?: readonly PluginTaskType[];
  readonly brokerKinds?: readonly BrokerKind[];
  readonly vectorStores?: readonly VectorStoreKind[];
  readonly documentReaders?: readonly DocumentReader[];
  /**
   * Asks a gRPC server for its methods. Rejects with an Error that is fit to be shown where it does
   * not describe itself.
   */
  readonly describeServer?: (
    services: Pick<PluginServices, 'guard' | 'responseBytesMax' | 'readProtos'>,
    asked: DescribedServer,
  ) => Promise<readonly GrpcMethod[]>;
  /**
   * Asks a model for the test of a prompt (contract-admin 13.2); its answer. `services` have the
   * rights of the caller. Rejects as `PluginTask.run` does.
   */
  readonly testPrompt?: (services: PromptTestServices, test: PromptTest) => Promise<string>;
  /** Takes the spans of executions (docs/tracing.md). */
  readonly tracing?: PluginTracing;
  /** Routes below `/api/plugins/NAME`, with jobs and records. */
  readonly areas?: readonly PluginArea[];
  /** By name, such as `rowsMax` for the setting `plugin.NAME.rowsMax`. */
  readonly settings?: PluginSettings;
  /** Asked for each answer of /health; a text says what is wrong. */
  readonly health?: () => string | undefined;
}

/** Where spans go. */
export interface PluginTracing {
  /**
   * Called once, where the environment asks for traces. Rejects with an Error that says what is
   * wrong with what it says; the server runs without traces then.
   */
  open(facts: TracingFacts): Promise<OpenTracing>;
}

/** The facts that a plug-in that takes spans receives. */
export interface TracingFacts {
  /** The variables of the process, `OTEL_*` among them. */
  readonly environment: { readonly [name: string]: string | undefined };
  readonly serverVersion: string;
  /** Name of the node among those of the cluster. */
  readonly nodeId: string;
  /** For what is wrong and does not end the server: one sentence. */
  readonly warn: (message: string) => void;
}

export interface OpenTracing {
  readonly tracer: Tracer;
  /** Why spans do not arrive now; undefined while they do. Shown in /health. */
  readonly trouble: () => string | undefined;
  /** Resolves once what was recorded has been sent or given up. */
  readonly stop: () => Promise<void>;
}

/** A task type that the server runs. */
export interface PluginTaskType {
  /** Type of the configurations and of the records. */
  readonly name: string;
  /** The acts of its tasks in the name of the starter of the execution (docs/access.md). */
  readonly reaches: readonly Reach[];
  /** The violated rules of a configuration, asked when its definition is registered. */
  check(config: ConfiguredInput, rules: KnownTemplates): readonly string[];
  /** Makes what runs the tasks of this type, once per server. */
  create(services: PluginServices): PluginTask;
}

export interface PluginTask {
  /** Runs of one lane share a limit, so that a slow host holds up only itself; absent: one lane. */
  lane?(input: JsonMap): string;
  /**
   * Carries out one attempt. After a crash the same attempt is run again, so every effect carries
   * `run.attemptKey` or is repeatable by nature. A FinalFailure fails the task without a retry, any
   * other error fails it with its message.
   */
  run(run: TaskRun): Promise<TaskOutcome>;
}

/** The services that the server lends to the tasks of plug-ins. */
export interface PluginServices {
  readonly clock: Clock;
  readonly client: PluginHttp;
  readonly integrations: PluginIntegrations;
  /** Connects to what does not speak HTTP, such as a database. */
  readonly sockets: {
    /** A refused address and too long an answer arrive as the socket's error. */
    open(host: string, port: number): Socket;
  };
  /** Checks addresses for libraries that connect by themselves. */
  readonly guard: ConnectionGuard;
  /** Files of the machine inside the folders that the setting documentFolders names. */
  readonly folders: PluginFolders;
  readonly documents: PluginDocuments;
  /** Runs what is slow or reads hostile documents in a process of its own. */
  readonly isolatedJobs: PluginJobs;
  /** Publishes at a broker that the task names itself. */
  readonly brokerSink: {
    send(
      found: { readonly kind: BrokerKind; readonly target: BrokerTarget; readonly version: string },
      message: BrokerPublication,
      timeoutMs?: number,
    ): Promise<void>;
  };
  readonly remoteCalls: PluginRemoteCalls;
  readonly prompts: PluginPrompts;
  readonly tokenBudget: PluginTokenBudget;
  /** Checks values by JSON Schemas of users. */
  readonly jsonSchemas: {
    /** The first violation, in a sentence; undefined: the value is valid. */
    violation(schema: JsonMap, value: Json): string | undefined;
  };
  /** Indexes of the vector stores that integrations name. */
  readonly vectorIndexes: VectorIndexes;
  /** Methods of gRPC services out of proto files and compiled descriptor sets. */
  readonly readProtos: (sources: readonly ProtoSource[]) => Promise<readonly GrpcMethod[]>;
  /** Name of this server, shown as the worker. */
  readonly instance: string;
  /** Caps the time limits that a task gives for one request, ms. */
  readonly requestTimeMsMax: number;
  /** Bytes of one answer of another system (setting outboundResponseBytesMax). */
  readonly responseBytesMax: number;
  /** Rows that one SQL statement may give (setting sqlRowsMax). */
  readonly sqlRowsMax: number;
  /** Values of the plug-in's own settings. */
  readonly settings: PluginSettingValues;
}

/** A gRPC server that is asked what it offers. */
export interface DescribedServer {
  /** `host:port`. */
  readonly address: string;
  readonly useSSL: boolean;
  /** With TLS: accept any certificate. */
  readonly trustCert: boolean;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly timeoutMs: number;
}

/** Remote services that tasks name (contract-admin 15.2). */
export interface PluginRemoteCalls {
  /** undefined: the input names no service. Rejects with RemoteCallError. */
  target(input: JsonMap, run: IntegrationRun): Promise<RemoteTarget | undefined>;
  /**
   * The methods that the proto files of a service declare; none where one of them cannot be read.
   */
  methods(service: CalledService): Promise<readonly GrpcMethod[]>;
}

/** Integrations, with the rights of who started the execution. All reject with FinalFailure. */
export interface PluginIntegrations {
  /** A provider of one of the categories (contract-admin 14.3). */
  provider(
    run: IntegrationRun,
    name: string,
    categories: readonly string[],
  ): Promise<OpenIntegration>;
  /** A model of a provider; its own configuration stands before the provider's. */
  model(run: IntegrationRun, provider: string, model: string): Promise<OpenIntegration>;
}

/** A run, as far as its rights go. */
export type IntegrationRun = Pick<TaskRun, 'startedBy' | 'hide'>;

/** Registered prompts (contract-admin 13), with the rights of who started the execution. */
export interface PluginPrompts {
  /** Whether there is a prompt of this name. */
  has(name: string): boolean;
  /**
   * A prompt with the variables in its text. Throws FinalFailure for one that is not there or may
   * not be read, and one that names variables which are not given.
   */
  fill(run: IntegrationRun, asked: AskedPrompt): FilledPrompt;
}

export interface AskedPrompt {
  readonly name: string;
  /** undefined: the newest. */
  readonly version: number | undefined;
  readonly variables: JsonMap;
}

/** The parts of a prompt that calls of models use; all but the text stand in for absent input. */
export interface FilledPrompt {
  readonly text: string;
  readonly temperature: number | undefined;
  readonly topP: number | undefined;
  readonly responseFormat: 'text' | 'json' | undefined;
  readonly stopWords: readonly string[] | undefined;
}

/** Tokens that models may use (contract-admin 14.2). */
export interface PluginTokenBudget {
  /** Throws an Error where the model has used what it may in this period. */
  requireRoom(provider: string, model: string): void;
  /** Records the tokens of a call. Resolves also where that fails, which the server counts. */
  add(provider: string, model: string, used: UsedTokens): Promise<void>;
}

/** Tokens that calls of a model used. */
export interface UsedTokens {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly totalTokens: number;
}

/** A text that is sent to a model as a test, and the marks of the call. */
export interface PromptTest extends IntegrationRun, Pick<TaskRun, 'attemptKey' | 'signal'> {
  readonly provider: string;
  readonly model: string;
  readonly text: string;
  readonly temperature: number | undefined;
  readonly topP: number | undefined;
  /** undefined or 0: as many as the provider gives. */
  readonly maxTokens: number | undefined;
  readonly stopWords: readonly string[];
  readonly wantsJson: boolean;
}

export type PromptTestServices = Pick<
  PluginServices,
  'clock' | 'client' | 'tokenBudget' | 'settings'
> & { readonly integrations: Pick<PluginIntegrations, 'model'> };

/** Documents that tasks name by address: http, https, and `file:` inside documentFolders. */
export interface PluginDocuments {
  load(run: { readonly signal: AbortSignal }, address: DocumentAddress): Promise<LoadedDocument>;
  /** Rejects with FinalFailure for a type that nothing reads here. */
  textOf(document: LoadedDocument, signal: AbortSignal): Promise<string>;
  /** Both. */
  read(run: { readonly signal: AbortSignal }, address: DocumentAddress): Promise<string>;
  /**
   * Keeps what a task has made: as a file where `location` says, else as a `data:` address. `name`
   * without an ending is used when `location` is a folder.
   */
  keep(
    made: { readonly bytes: Buffer; readonly mimeType: string },
    place: { readonly location: string; readonly name: string },
  ): Promise<string>;
}

/** All reject with FinalFailure. */
export interface PluginFolders {
  /** The real path of something that exists inside an allowed folder. */
  existing(file: string): Promise<string>;
  read(file: string): Promise<Buffer>;
  /** `file:` addresses of the files below a folder with one of the endings (none: of any). */
  list(folder: string, endings: readonly string[]): Promise<string[]>;
  /** Writes a file whole or not at all; its `file:` address. */
  write(file: string, bytes: Uint8Array): Promise<string>;
}

/** A setting of a plug-in: what its settings page says of it, and its check. */
export type PluginSetting =
  | {
      readonly kind: 'text';
      readonly about: string;
      readonly default: string;
      /** Its value is shown to nobody. */
      readonly isSecret?: boolean;
    }
  | { readonly kind: 'boolean'; readonly about: string; readonly default: boolean }
  | { readonly kind: 'list'; readonly about: string; readonly default: readonly string[] }
  | {
      readonly kind: 'integer';
      readonly about: string;
      readonly default: number;
      readonly min: number;
      readonly max?: number;
    };

export type PluginSettings = { readonly [name: string]: PluginSetting };
