// The parts of an area of the server (schedules, webhooks, identity, ...), and what the area serves
// and runs. `areas.ts` lists them.
import type { AccessRules } from '../access/access-rules.js';
import type { DefinitionUse } from './build-definition-use.js';
import type { Endpoint } from '../api/endpoint.js';
import type { Settings } from './settings-table.js';
import type { Leadership } from '../placement/leadership.js';
import type { JsonMap } from '../model/json.js';
import type { WorkflowRules } from '../model/validate-workflow-def.js';
import type { OperationContext } from '../operation/context.js';
import type { RecordTables } from '../operation/records/record-tables.js';
import type { OpenAreas } from './open-areas.js';
import type { TopicNotices } from '../placement/topic-notices.js';
import type { RedisClient } from '../redis/client.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import type { NodeStores } from './node-stores.js';
import type { Clock } from '../std/clock.js';
import type { Service } from '../std/service.js';
import type { Logger } from '../telemetry/logger.js';
import type { Metrics } from '../telemetry/metrics.js';

export interface AreaParts {
  readonly settings: Settings;
  /** Name of this node. */
  readonly nodeId: string;
  readonly log: Logger;
  /** Store time (invariants M11). */
  readonly clock: Clock;
  /** For the stores of an area; only folder redis uses it otherwise. */
  readonly redis: RedisClient;
  /** Opens the record table of a kind; the tables are loaded before any service starts. */
  readonly tables: RecordTables;
  readonly operations: OperationContext;
  /** Whether this node leads the cluster. */
  readonly leadership: Leadership;
  readonly access: AccessRules;
  /** The rules that definitions of workflows must keep. */
  readonly rules: WorkflowRules;
  /** The rules for the use of definitions. */
  readonly definitionUse: DefinitionUse;
  /** The areas with a room of their own, after their first step. */
  readonly rooms: OpenAreas;
  /** Runs scripts of users. */
  readonly sandbox: Sandbox;
  /** Changes on any node, by topic. */
  readonly topicNotices: TopicNotices;
  readonly metrics: Metrics;
  /** The stores of all nouns. */
  readonly stores: NodeStores;
}

export interface Area {
  readonly endpoints: readonly Endpoint[];
  /** Started in order once the shards are served; stopped in reverse order before their release. */
  readonly services: readonly Service[];
  /** Adds to the details of GET /health. */
  readonly healthDetails?: () => JsonMap;
}
