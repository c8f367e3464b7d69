// The areas of the server beside executions (schedules, webhooks, identity, ...): each builds its
// endpoints and services out of the same parts. This list is their table of contents; an area's own
// composition stands in its function.
import type { Area, AreaParts } from './area.js';
import { bulkJobArea } from './bulk-job-area.js';
import { eventArea } from './event-area.js';
import { humanArea } from './human-area.js';
import { fsckArea } from './fsck-area.js';
import { factsArea } from './facts-area.js';
import { liveArea } from './live-area.js';
import { quarantineRoutes } from './api/quarantine-routes.js';
import { scheduleArea } from './schedule-area.js';
import { statisticsArea } from './statistics-area.js';
import { storageArea } from './storage-area.js';
import { webhookArea } from './webhook-area.js';

const areas: readonly ((parts: AreaParts) => Area)[] = [
  ({ administration, operations }) => administration.area(operations.definitions),
  factsArea,
  fsckArea,
  quarantineArea,
  scheduleArea,
  webhookArea,
  eventArea,
  ({ registries }) => ({ endpoints: registries.endpoints(), services: [] }),
  humanArea,
  statisticsArea,
  storageArea,
  ({ outgoing }) => ({ endpoints: outgoing.endpoints(), services: [outgoing.worker] }),
  jobsAndStreams,
];

function quarantineArea({ operations, stores, settings }: AreaParts): Area {
  const { executions } = operations;
  const context = { executions, store: stores.quarantine, shards: settings.shards };
  return { endpoints: quarantineRoutes(context), services: [] };
}

/** Streams tell how far bulk jobs are. */
function jobsAndStreams(parts: AreaParts): Area {
  const { area, jobs } = bulkJobArea(parts);
  const live = liveArea(parts, jobs);
  return {
    endpoints: [...area.endpoints, ...live.endpoints],
    services: [...area.services, ...live.services],
  };
}

/** Everything that the areas serve and run. */
export function buildAreas(parts: AreaParts): Area {
  const built = areas.map((build) => build(parts));
  return {
    endpoints: built.flatMap(({ endpoints }) => endpoints),
    services: built.flatMap(({ services }) => services),
    healthDetails: () => Object.assign({}, ...built.map((area) => area.healthDetails?.() ?? {})),
  };
}
