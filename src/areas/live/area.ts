// The live stream of changes (docs/streams.md): its endpoint, and what reads counters for it.
import { systemClock } from '../../std/clock.js';
import { area } from '../area.js';
import { liveStreamRoutes } from './endpoints.js';
import { LiveCounters } from './live-counters.js';
import { LiveHub } from './live-hub.js';
import { liveSettings } from './settings.js';

export const live = area({
  name: 'live',
  about: 'Streams of changes, as they happen on any node.',
  settings: liveSettings,
  records: {},
  needs: [
    ...(['log', 'access', 'operations', 'search', 'metrics', 'topicNotices'] as const),
    ...(['identityRevision', 'humanTasks', 'statistics', 'bulkJobs'] as const),
  ],
  build(
    { log, access, operations: context, search, metrics, topicNotices, identityRevision, ...more },
    { settings: { streamsMax } },
  ) {
    const { humanTasks, statistics, bulkJobs: jobs } = more;
    const clock = systemClock;
    const hub = new LiveHub({
      ...{ context, access, clock, jobs, identityRevision, streamsMax, notices: topicNotices },
    });
    metrics.gauge('openStreams', () => hub.size);
    const counters = new LiveCounters({
      ...{ hub, context, jobs, clock, search, humanTasks, statistics },
      failed: (error) => log.warn({ err: error }, 'counters of streams are read again'),
    });
    return { endpoints: liveStreamRoutes(hub), services: [hub, counters] };
  },
});
