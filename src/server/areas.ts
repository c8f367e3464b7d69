// Builds the areas: those with a room of their own (areas/list.ts), and those that still build
// their endpoints and services out of the same parts.
import type { Area, AreaParts } from './area.js';
import type { Ports } from '../areas/ports.js';
import { areaFindings, buildFsck, fsckSettleMs } from './build-fsck.js';
import { factsArea } from './facts-area.js';
import { defaultSearchLimits } from '../operation/search/request.js';
import { retentionRulesOf } from './settings-checks.js';
import { tagsArea } from './tags-area.js';
import { providerFetch } from './outbound-settings.js';
import { together } from './open-areas.js';

const all: readonly ((parts: AreaParts) => Area)[] = [
  tagsArea,
  factsArea,
  (parts) => parts.rooms.build(portsOf(parts)),
];

/** Ports of the second step. */
function portsOf(parts: AreaParts): Partial<Ports> {
  const { leadership, rules, operations, stores, topicNotices } = parts;
  const { settings, redis, clock } = parts;
  const { shards, retentionSeconds } = settings;
  const { statistics, humanTasks, humanTaskFeed } = stores;
  return {
    ...{ leadership, operations, topicNotices },
    ...{ statistics, humanTasks, humanTaskFeed },
    definitionRules: rules,
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

/** Everything that the areas serve and run. */
export function buildAreas(parts: AreaParts): Area {
  return together(all.map((build) => build(parts)));
}
