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
  metrics: {
    openStreams: {
      name: 'downbeat_open_streams',
      kind: 'gauge',
      help: 'Live streams of changes that are open',
    },
  },
  needs: [
    ...(['log', 'access', 'operations', 'topicNotices'] as const),
    ...(['identityRevision', 'now', 'bulkJobs'] as const),
  ],
  build(
    { log, access, operations: context, topicNotices, identityRevision, ...more },
    { settings: { streamsMax }, metrics },
  ) {
    const { now, bulkJobs: jobs } = more;
    const clock = systemClock;
    const hub = new LiveHub({
      ...{ context, access, clock, jobs, identityRevision, streamsMax, notices: topicNotices },
    });
    metrics.gauge('openStreams', () => hub.size);
    const counters = new LiveCounters({
      ...{ hub, jobs, clock, now },
      failed: (error) => log.warn({ err: error }, 'counters of streams are read again'),
    });
    return { endpoints: liveStreamRoutes(hub), services: [hub, counters] };
  },
});
