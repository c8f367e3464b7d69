// The ports through which areas reach the rest of a node. An area declares those that it needs by
// name; each is a contract of the kernel, none is a bag of further parts.
import type { AccessRules, TargetType } from '../access/access-rules.js';
import type { SecretBox } from '../access/secret-box.js';
import type { SecretLookup } from '../engine/expression/secrets.js';
import type { BrokerKind } from '../broker/broker-kind.js';
import type { Lookup } from '../std/lookup.js';
import type { KeyspaceCheck } from '../fsck/fsck.js';
import type { Leadership } from '../placement/leadership.js';
import type { Caller } from '../model/caller.js';
import type { JsonMap } from '../model/json.js';
import type { RetentionRules } from '../model/retention.js';
import type { WorkflowRules } from '../model/validate-workflow-def.js';
import type { Definitions } from '../operation/definitions/definitions.js';
import type { OperationContext } from '../operation/context.js';
import type { Auditor } from '../api/audit.js';
import type { Ownership } from '../operation/ownership.js';
import type { SchemaReader } from '../operation/schemas/schema-reader.js';
import type { Tags } from '../operation/tags/tags.js';
import type { SearchContext } from '../operation/search/request.js';
import type { ExecutionLimits } from '../operation/tags/execution-limits.js';
import type { TopicNotices } from '../placement/topic-notices.js';
import type { DescribedServer, PromptTest } from '../plugin/plugin.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import type { Clock } from '../std/clock.js';
import type { ThreadTurns } from '../std/thread-turns.js';
import type { ExecutionStore } from '../store/execution-store.js';
import type { ObjectStore } from '../store/object-store.js';
import type { ChangeFeed } from '../store/change-feed.js';
import type { HumanTaskStore } from '../store/human-task-store.js';
import type { QuarantineStore } from '../store/quarantine-store.js';
import type { StatisticsStore } from '../store/statistics-store.js';
import type { VectorStore } from '../store/vector-store.js';
import type { GrpcMethod } from '../system-task/grpc-method.js';
import type { AccessRules as OutboundRules } from '../system-task/outbound-access.js';
import type { OutboundClient } from '../system-task/outbound-client.js';
import type { RemoteCalls } from '../system-task/remote-target.js';
import type { Fetch } from '../system-task/outbound-request.js';
import type { Logger } from '../telemetry/logger.js';
import type { ValueLimits } from '../model/value-limits.js';
import type { BulkJobView } from './bulk-jobs/port.js';
import type { IntegrationLookup } from './integrations/port.js';
import type { RegisterSchemas } from './schemas/port.js';
import type { Now } from './statistics/port.js';

export interface Ports {
  /** Store time (invariants M11). */
  readonly clock: Clock;
  readonly log: Logger;
  /** Told of errors that nothing else reports. */
  readonly failed: (error: unknown) => void;
  /** Requests to addresses outside, held to the rules of what may be reached. */
  readonly outbound: OutboundClient;
  /** The rules of what may be reached, for connections that are no HTTP. */
  readonly outboundRules: OutboundRules;
  /** Of the area integrations: connections to other systems as administrators store them. */
  readonly integrations: IntegrationLookup;
  /** Of the area schemas: registers the schemas of a remote service's description. */
  readonly registerSchemas: RegisterSchemas;
  /** Of the area schemas: reads JSON Schemas of users under its limits. */
  readonly schemaReader: SchemaReader;
  /** Reads what users send where that holds the thread, whatever it is: callers take turns. */
  readonly threadTurns: ThreadTurns;
  /** Asks a gRPC server for its methods, at addresses that tasks may reach. */
  readonly describeServer: (
    asked: DescribedServer,
    readProtos: RemoteCalls['readProtos'],
  ) => Promise<readonly GrpcMethod[]>;
  /**
   * The answer of a model to a text, with the rights of the caller. Rejects as the run of a task
   * does.
   */
  readonly testPrompt: (caller: Caller, test: PromptTest) => Promise<string>;
  /** Vectors that integrations keep. */
  readonly vectors: Pick<VectorStore, 'forget'>;
  /** Kinds of brokers of the plug-ins that are here. */
  readonly brokerKinds: Lookup<BrokerKind>;
  /** Of the server. */
  readonly version: string;
  /** Limits that callers can run into, by setting. */
  readonly shownLimits: Readonly<Record<string, number>>;
  /** Of the area identity: how callers sign in, as the page asks before anybody has. */
  readonly signInFacts: () => JsonMap;
  /** Limits on executions of a workflow at a time, for which tags stand. */
  readonly executionLimits: ExecutionLimits;
  /** Whether this node leads the cluster. */
  readonly leadership: Leadership;
  readonly access: AccessRules;
  /** The rules that definitions of workflows must keep. */
  readonly definitionRules: WorkflowRules;
  /** Of the area audit: records what callers do. */
  readonly auditor: Auditor;
  /** The effects on access of creating and deleting a resource. */
  readonly ownership: Ownership;
  readonly tags: Tags;
  /** Executions, queues and definitions, as operations use them. */
  readonly operations: OperationContext;
  /** Whose rights a resource acts with, by its owner of record; undefined: is gone. */
  readonly ownerOf: (ownerId: string) => Caller | undefined;
  /**
   * The caller with an id now; undefined: is gone. The local administrator without authentication.
   */
  readonly callerOf: (id: string) => Caller | undefined;
  /** The starter of an execution, with the rights in force; undefined: is gone. */
  readonly starterOf: (startedBy: string | undefined) => Caller | undefined;
  /** Rises with every change of users, roles, groups and grants. */
  readonly identityRevision: () => number;
  /** Seals what must not be read in the store. */
  readonly secretBox: SecretBox;
  /** The store for files, payloads and the archive; undefined: there is none. */
  readonly objects: () => ObjectStore | undefined;
  /** The secret that all nodes of the deployment share. */
  readonly deploymentSecret: Buffer;
  /** Executions as they are stored. */
  readonly executionRecords: Pick<ExecutionStore, 'load'>;
  /** Largest input or output of an execution, bytes of JSON. */
  readonly payloadBytesMax: number;
  /** Where browsers reach this server. */
  readonly web: {
    /** Whether they come over TLS, here or at a proxy. */
    readonly isSecure: boolean;
    /** Origins of the page besides this server. */
    readonly origins: readonly string[];
  };
  /** Where clients reach this server, and the largest body that they may send there. */
  readonly address: {
    /** Setting; empty: what the request says. */
    readonly publicUrl: string;
    readonly isTls: boolean;
    readonly bodyBytesMax: number;
  };
  /** Registered definitions of workflows, as they are now. */
  readonly definitionTable: () => Pick<
    Definitions['table'],
    'names' | 'latest' | 'registrationOf' | 'taskDef'
  >;
  /** Whether an earlier version has stored a resource of the type that is called `*`. */
  readonly hasNamedEvery: (type: TargetType) => boolean;
  /** Requests to the identity provider, and to what its discovery document names. */
  readonly providerFetch: Fetch;
  /** Settings of how long finished executions are kept. */
  readonly retentionRules: RetentionRules;
  /** Of the area secrets: those that a subject may read, by name. */
  readonly secretsFor: (subject: string | undefined) => SecretLookup;
  /** Runs scripts of users. */
  readonly evaluate: Sandbox['evaluate'];
  /** Evaluates what needs no process of its own at once; undefined: it needs one. */
  readonly evaluateInPlace: Sandbox['tryInPlace'];
  /** Variables of the process that the settings name; undefined for others. */
  readonly environment: (name: string) => string | undefined;
  /** Of this node. */
  readonly nodeName: string;
  /** Search over executions. */
  readonly search: SearchContext;
  /** Changes on any node, by topic. */
  readonly topicNotices: TopicNotices;
  readonly statistics: StatisticsStore;
  /** Memory that the store uses now, and its limit; bytes, 0 for no limit. */
  readonly storeMemory: () => { readonly usedBytes: number; readonly limitBytes: number };
  /** Of the area statistics: what runs now. */
  readonly now: Now;
  /** Marks of executions that nodes died of. */
  readonly quarantineMarks: Pick<QuarantineStore, 'marks'>;
  readonly shards: number;
  readonly keyspaceCheck: KeyspaceCheck;
  readonly humanTasks: HumanTaskStore;
  /** Changes of that index, in their order. */
  readonly humanTaskFeed: ChangeFeed<string>;
  /** Limits of values that come from outside. */
  readonly valueLimits: ValueLimits;
  /** Addresses of proxies that may say whom they speak for. */
  readonly trustedProxies: readonly string[];
  /** How long what has ended is kept, ms. */
  readonly retentionMs: number;
  /** Memory that a text index may take, bytes. */
  readonly searchTextBytesMax: number;
  /** Of the area bulk-jobs: jobs as their creators see them. */
  readonly bulkJobs: BulkJobView;
}

export type PortName = keyof Ports;

/** First ports that an area provides, for the areas behind it in the list. */
export type ProvidedFirstName =
  | ('auditor' | 'access' | 'ownership' | 'tags' | 'starterOf' | 'ownerOf' | 'callerOf')
  | ('identityRevision' | 'registerSchemas' | 'schemaReader')
  | 'integrations';

/** First ports that the server gives. */
export type GivenFirstName =
  | ('clock' | 'log' | 'failed' | 'secretBox' | 'outbound' | 'outboundRules')
  | ('environment' | 'objects' | 'deploymentSecret' | 'executionRecords' | 'shards')
  | ('payloadBytesMax' | 'definitionTable' | 'hasNamedEvery' | 'web')
  | ('brokerKinds' | 'describeServer' | 'vectors' | 'threadTurns')
  | ('valueLimits' | 'trustedProxies' | 'retentionMs' | 'searchTextBytesMax');

/** Ports that stand before executions do (`begin` in area.ts). */
export type FirstPortName = GivenFirstName | ProvidedFirstName;
