// The state of the server now, and statistics over time: the endpoints on every node, the samples
// of queues by the leader.
import { area } from '../area.js';
import { seriesRoutes } from './endpoints.js';
import { operatorRoutes } from './operator-endpoints.js';
import { overview } from './overview.js';
import { overviewEndpoints } from './overview-endpoints.js';
import { queueDepthCodec } from './queue-depths.js';
import { QueueSampler } from './queue-sampler.js';
import { queueStats } from './queue-stats.js';
import { statisticsSettings } from './settings.js';

export const statistics = area({
  name: 'statistics',
  about: 'The state of the server now, the work that needs a person, and statistics over time.',
  settings: statisticsSettings,
  records: { depths: queueDepthCodec },
  needs: [
    ...(['clock', 'log', 'leadership', 'operations', 'search'] as const),
    ...(['humanTasks', 'statistics', 'storeMemory'] as const),
  ],
  provides: ['now'],
  build({ clock, log, leadership, operations: context, ...more }, { settings, records }) {
    const { search, humanTasks, statistics: store, storeMemory } = more;
    const { depths } = records;
    const sampler = new QueueSampler({
      ...{ table: depths, context, leadership, clock },
      everyMs: settings.queueSampleSeconds * 1000,
      failed: (error) => log.warn({ err: error }, 'a sample of the queues was left out'),
    });
    const shown = { context, search, humanTasks, statistics: store };
    return {
      endpoints: [
        ...seriesRoutes({ context, store: search.store, depths }),
        ...operatorRoutes({ context, store }),
        ...overviewEndpoints({ ...shown, storeMemory }),
      ],
      services: [sampler],
      ports: {
        now: {
          overview: async (asked) => await overview(shown, asked),
          queues: async (caller) => await queueStats(context, caller),
        },
      },
    };
  },
});
