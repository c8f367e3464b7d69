// What happened over time: the endpoint on every node, the samples of queues by the leader.
import { seriesRoutes } from './api/overview/series.js';
import type { Area, AreaParts } from './area.js';
import { QueueSampler } from './leader/queue-sampler.js';
import { queueDepthForm } from './operation/overview/queue-depths.js';

export function statisticsArea(parts: AreaParts): Area {
  const { settings, clock, operations: context, leadership, stores, log } = parts;
  const table = parts.tables.open(queueDepthForm);
  const sampler = new QueueSampler({
    ...{ table, context, leadership, clock },
    everyMs: settings.queueSampleSeconds * 1000,
    failed: (error) => log.warn({ err: error }, 'a sample of the queues was left out'),
  });
  const store = stores.executions.search;
  return { endpoints: seriesRoutes({ context, store, depths: table }), services: [sampler] };
}
