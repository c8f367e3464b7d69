// Statistics over time: the endpoint on every node, the samples of queues by the leader.
import { area } from '../area.js';
import { seriesRoutes } from './endpoints.js';
import { operatorRoutes } from './operator-endpoints.js';
import { queueDepthForm } from './queue-depths.js';
import { QueueSampler } from './queue-sampler.js';
import { statisticsSettings } from './settings.js';

export const statistics = area({
  name: 'statistics',
  about: 'What happened over time, and how many tasks waited in queues.',
  settings: statisticsSettings,
  records: { depths: queueDepthForm },
  needs: ['clock', 'log', 'leadership', 'operations', 'search', 'statistics'],
  build(
    { clock, log, leadership, operations: context, search, statistics: store },
    { settings, records },
  ) {
    const { depths } = records;
    const sampler = new QueueSampler({
      ...{ table: depths, context, leadership, clock },
      everyMs: settings.queueSampleSeconds * 1000,
      failed: (error) => log.warn({ err: error }, 'a sample of the queues was left out'),
    });
    return {
      endpoints: [
        ...seriesRoutes({ context, store: search.store, depths }),
        ...operatorRoutes({ context, store }),
      ],
      services: [sampler],
    };
  },
});
