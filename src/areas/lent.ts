// Ports of the kernel that areas fill: contracts of the kernel, each kept by the one area that
// lends it (area.ts). They stand before executions do, since executions ask them from their first
// step on.
import type {
  EngineContext,
  FormRules,
  SchemaRules,
  SecretRules,
  StatusListeners,
} from '../engine/context.js';
import type { SecretLookup } from '../engine/expression/secrets.js';
import type { ExecutionArchive } from '../operation/archive.js';
import type { OperationContext, PayloadSource } from '../operation/context.js';
import type { JsonSchemas } from '../operation/schemas/json-schema.js';
import type { AccessRules } from '../access/access-rules.js';
import type { Authenticate } from '../api/api.js';
import type { Auditor } from '../api/audit.js';
import type { Caller } from '../model/caller.js';
import type { DefinitionOwnership } from '../operation/ownership.js';
import type { Tags } from '../operation/tags/tags.js';
import type { WaitingCallers } from '../operation/waiting-callers.js';
import type { BrokerSender, RequirePublishRight } from '../broker/publishing.js';
import type { EventPublisher } from '../shard/executions.js';
import type { HandedOutValues } from '../shard/task-texts.js';
import type { IntegrationUse } from '../system-task/integration-use.js';
import type { createHumanTaskFollower } from './human/index-human-task.js';
import type { RemoteCalls } from '../system-task/remote-target.js';
import type { EventSink } from '../store/event-sink.js';
import type { BeforeRemoval } from '../store/retention-store.js';
import type { PluginPrompts, PluginTokenBudget } from '../plugin/plugin.js';
import type { AuditEntry } from '../model/audit-entry.js';
import type { WebhookWaitStore } from './webhooks/wait-store.js';

export interface Lent {
  /** The rights of callers on resources. */
  readonly access: AccessRules;
  /** Finds the caller of a request; undefined: authentication is off. */
  readonly authenticate: Authenticate | undefined;
  /** The callers that wait for a hand-out; undefined: authentication is off, so no right ends. */
  readonly waitingCallers: WaitingCallers | undefined;
  /** With whose rights an execution acts, by who started it; undefined: is gone. */
  readonly starterOf: (startedBy: string | undefined) => Caller | undefined;
  /** Makes those who create definitions their owners. */
  readonly definitionOwnership: DefinitionOwnership;
  readonly resourceTags: Tags;
  /** Whether there is anybody who could administer, or sign in at all. */
  readonly administrators: {
    readonly areThere: () => boolean;
    readonly hasIdentities: () => boolean;
  };
  /** Records what callers do. */
  readonly auditor: Auditor;
  /** Reads large payloads that starts and results name. */
  readonly payloads: PayloadSource;
  /** undefined: executions are removed for good. */
  readonly archive: ExecutionArchive | undefined;
  /** Archives executions and removes their files; undefined: nothing stands outside Redis. */
  readonly beforeRemoval: BeforeRemoval | undefined;
  /** Removes contents of the files of an execution. */
  readonly removeFiles: OperationContext['removeFiles'];
  /** Keeps values of secrets out of what is stored (semantics 3.7). */
  readonly secretRules: SecretRules;
  /** Puts values of secrets into what workers get. */
  readonly handedOut: HandedOutValues;
  /** Secrets that who started an execution may read. */
  readonly secretsFor: (startedBy: string | undefined) => SecretLookup;
  /** Stores secrets for tasks, with the rights of a caller. */
  readonly secretWriter: {
    /** Creates or replaces. Rejects with AppError 'bad-request', 'forbidden', 'unavailable'. */
    put(caller: Caller, name: string, value: string): Promise<void>;
  };
  readonly environmentVariables: Pick<EngineContext, 'environmentVariable' | 'mayReadVariable'>;
  /** Checks payloads by the schemas of definitions (semantics 3.9). */
  readonly schemaRules: SchemaRules;
  /** Rights on the user forms that tasks name. */
  readonly formRules: FormRules;
  /** Keeps the index of human tasks in step with the executions (invariants I13). */
  readonly followHumanTasks: typeof createHumanTaskFollower;
  /** Checks values by JSON Schemas that users send. */
  readonly jsonSchemas: JsonSchemas;
  /** Integrations as tasks use them (semantics 4.23). */
  readonly integrationUse: IntegrationUse;
  /** Tokens that models use, and how many they may. */
  readonly tokenBudget: PluginTokenBudget;
  /** Calls of registered remote services (contract-admin 15). */
  readonly remoteCalls: RemoteCalls;
  /** Registered prompts, which tasks send to models (semantics 4.23). */
  readonly prompts: PluginPrompts;
  /** The listeners to changes of status (semantics 2.14). */
  readonly listeners: StatusListeners;
  /** Takes the events that are meant for an outgoing webhook. */
  readonly deliveries: EventPublisher;
  /** The index of tasks that wait for a webhook. */
  readonly webhookWaits: WebhookWaitStore;
  /** Publishes on queues of the server and of brokers. */
  readonly eventSink: EventSink;
  /** Publishes at a broker that is known already. */
  readonly brokerSender: BrokerSender;
  /** Whether who started an execution may publish on a queue. */
  readonly requirePublishRight: RequirePublishRight;
}

declare module '../system-task/system-task.js' {
  /** The services that only task types of areas name. */
  interface SystemTaskServices extends Pick<
    Lent,
    | ('eventSink' | 'requirePublishRight' | 'secretWriter' | 'webhookWaits')
    | ('prompts' | 'tokenBudget' | 'jsonSchemas')
  > {
    /** Writes an entry of the audit log; undefined: none is kept. Resolves once it is durable. */
    readonly audit: ((entry: Omit<AuditEntry, 'at'>) => Promise<void>) | undefined;
  }
}
