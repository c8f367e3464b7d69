// Builds the areas (areas/list.ts) when everything else stands.
import type { BuiltAreas } from '../areas/area.js';
import type { DefinitionUse } from './build-definition-use.js';
import type { Leadership } from '../placement/leadership.js';
import type { WorkflowRules } from '../model/validate-workflow-def.js';
import type { OperationContext } from '../operation/context.js';
import type { OpenAreas } from './open-areas.js';
import type { TopicNotices } from '../placement/topic-notices.js';
import type { RedisClient } from '../redis/client.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import type { NodeStores } from './node-stores.js';
import type { Clock } from '../std/clock.js';
import type { Ports } from '../areas/ports.js';
import { areaFindings, buildFsck, fsckSettleMs } from './build-fsck.js';
import { defaultSearchLimits } from '../operation/search/request.js';
import { retentionRulesOf } from './settings-checks.js';
import { pick } from '../std/pick.js';
import type { Settings } from './settings-table.js';
import { version } from './version.js';
import { providerFetch } from './outbound-settings.js';

/** The parts that ports of areas are made of. */
export interface AreaParts {
  readonly settings: Settings;
  /** Name of this node. */
  readonly nodeId: string;
  /** Store time (invariants M11). */
  readonly clock: Clock;
  /** For the check of the keyspace. */
  readonly redis: RedisClient;
  readonly operations: OperationContext;
  /** Whether this node leads the cluster. */
  readonly leadership: Leadership;
  /** The rules that definitions of workflows must keep. */
  readonly rules: WorkflowRules;
  readonly definitionUse: DefinitionUse;
  /** The areas after their first step. */
  readonly rooms: OpenAreas;
  /** Runs scripts of users. */
  readonly sandbox: Sandbox;
  /** Changes on any node, by topic. */
  readonly topicNotices: TopicNotices;
  readonly stores: NodeStores;
  /** Asks models for tests of prompts. */
  readonly testPrompt: Ports['testPrompt'];
}

/** Ports of the second step. */
function portsOf(parts: AreaParts): Partial<Ports> {
  const { leadership, rules, operations, stores, topicNotices, testPrompt } = parts;
  const { settings, redis, clock } = parts;
  const { shards, retentionSeconds } = settings;
  const { statistics, humanTasks, humanTaskFeed } = stores;
  return {
    ...{ leadership, operations, topicNotices, testPrompt },
    ...{ statistics, humanTasks, humanTaskFeed },
    definitionRules: rules,
    executionLimits: parts.definitionUse.limits,
    version,
    shownLimits: shownLimits(settings),
    providerFetch: providerFetch(settings),
    address: {
      publicUrl: settings.publicUrl,
      isTls: settings.tlsCertFile !== '',
      bodyBytesMax: settings.bodyBytesMax,
    },
    retentionRules: retentionRulesOf(settings),
    quarantineMarks: stores.quarantine,
    keyspaceCheck: {
      prepare: (options) =>
        buildFsck({ redis, shards, retentionSeconds, now: () => clock.now() }, options),
      settleMs: fsckSettleMs,
      areaFindings: Object.keys(areaFindings),
    },
    evaluate: (request) => parts.sandbox.evaluate(request),
    evaluateInPlace: (request) => parts.sandbox.tryInPlace(request),
    nodeName: parts.nodeId,
    storeMemory: () => stores.memory.usage,
    search: {
      context: operations,
      store: stores.executions.search,
      limits: defaultSearchLimits,
    },
  };
}

/** Limits that callers can run into. */
function shownLimits(settings: Settings): Ports['shownLimits'] {
  const shown = pick(settings, [
    'bodyBytesMax',
    'workflowPayloadBytesMax',
    'taskPayloadBytesMax',
    'pollCountMax',
    'pollTimeoutMsMax',
    'waitSecondsMax',
    'tasksPerExecutionMax',
    'requestsPerSecondMax',
    'secretBytesMax',
  ]);
  return shown;
}

/** Everything that the areas serve and run. */
export function buildAreas(parts: AreaParts): BuiltAreas {
  return parts.rooms.build(portsOf(parts));
}
