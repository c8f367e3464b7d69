// The live stream of changes: its endpoint, and what reads counters for it.
import { liveStreamRoutes } from './api/live-stream.js';
import type { Area, AreaParts } from './area.js';
import type { BulkJobs } from './operation/bulk-jobs/bulk-jobs.js';
import { LiveCounters } from './operation/live/live-counters.js';
import { LiveHub } from './operation/live/live-hub.js';
import { defaultSearchLimits } from './operation/search/request.js';
import { systemClock } from './std/clock.js';

/** `jobs`: the bulk jobs that streams follow. */
export function liveArea(parts: AreaParts, jobs: BulkJobs): Area {
  const { settings, access, administration, log, operations: context, stores } = parts;
  const { identities } = administration;
  const clock = systemClock;
  const hub = new LiveHub({
    ...{ context, access, clock, jobs, notices: parts.topicNotices },
    identityRevision: () => identities.revision,
    streamsMax: settings.streamsMax,
  });
  parts.metrics.gauge('openStreams', () => hub.size);
  const counters = new LiveCounters({
    ...{ hub, context, jobs, clock },
    ...{ humanTasks: stores.humanTasks, statistics: stores.statistics },
    search: { context, store: stores.executions.search, limits: defaultSearchLimits },
    failed: (error) => log.warn({ err: error }, 'counters of streams are read again'),
  });
  return { endpoints: liveStreamRoutes(hub), services: [hub, counters] };
}
