// Builds the areas: those with a room of their own (areas/list.ts), and those that still build
// their endpoints and services out of the same parts.
import type { Area, AreaParts } from './area.js';
import type { Area as RoomedArea } from './areas/area.js';
import { areas } from './areas/list.js';
import type { Ports } from './areas/ports.js';
import { bulkJobArea } from './bulk-job-area.js';
import { eventArea } from './event-area.js';
import { humanArea } from './human-area.js';
import { fsckArea } from './fsck-area.js';
import { factsArea } from './facts-area.js';
import { liveArea } from './live-area.js';
import { quarantineRoutes } from './api/quarantine-routes.js';
import { statisticsArea } from './statistics-area.js';
import { storageArea } from './storage-area.js';
import { webhookArea } from './webhook-area.js';

const all: readonly ((parts: AreaParts) => Area)[] = [
  ({ administration, operations }) => administration.area(operations.definitions),
  factsArea,
  fsckArea,
  quarantineArea,
  ...areas.map((area) => (parts: AreaParts) => openArea(area, parts)),
  webhookArea,
  eventArea,
  ({ registries }) => ({ endpoints: registries.endpoints(), services: [] }),
  humanArea,
  statisticsArea,
  storageArea,
  ({ outgoing }) => ({ endpoints: outgoing.endpoints(), services: [outgoing.worker] }),
  jobsAndStreams,
];

/** An area that has a room of its own: it is given the ports that it names. */
function openArea(area: RoomedArea, parts: AreaParts): Area {
  const { clock, log, leadership, access, rules, operations, administration } = parts;
  const { settings, redis, tables } = parts;
  const { ownership, tags } = administration;
  const ports: Ports = {
    ...{ clock, log, leadership, access, ownership, tags, operations },
    definitionRules: rules,
    ownerOf: (ownerId) => administration.owner(ownerId),
  };
  return area.open({ ports, settings, redis, tables }) ?? { endpoints: [], services: [] };
}

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
  const built = all.map((build) => build(parts));
  return {
    endpoints: built.flatMap(({ endpoints }) => endpoints),
    services: built.flatMap(({ services }) => services),
    healthDetails: () => Object.assign({}, ...built.map((area) => area.healthDetails?.() ?? {})),
  };
}
