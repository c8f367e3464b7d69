// Builds the areas: those with a room of their own (areas/list.ts), and those that still build
// their endpoints and services out of the same parts.
import { callerOf } from '../access/authenticator.js';
import type { Area, AreaParts } from './area.js';
import { areas } from '../areas/list.js';
import type { Ports } from '../areas/ports.js';
import { eventArea } from './event-area.js';
import { fsckArea } from './fsck-area.js';
import { factsArea } from './facts-area.js';
import { localAdministrator } from '../model/caller.js';
import { defaultSearchLimits } from '../operation/search/request.js';
import { quarantineRoutes } from '../api/quarantine-routes.js';
import { storageArea } from './storage-area.js';

const all: readonly ((parts: AreaParts) => Area)[] = [
  ({ administration, operations }) => administration.area(operations.definitions),
  factsArea,
  fsckArea,
  quarantineArea,
  eventArea,
  ({ registries }) => ({ endpoints: registries.endpoints(), services: [] }),
  storageArea,
  ({ outgoing }) => ({ endpoints: outgoing.endpoints(), services: [outgoing.worker] }),
  roomedAreas,
];

/** Those with a room of their own. Each is given the ports that it names. */
function roomedAreas(parts: AreaParts): Area {
  const { settings, redis, tables } = parts;
  let ports: Partial<Ports> = portsOf(parts);
  const built: Area[] = [];
  for (const area of areas) {
    const one = area.open({ ports, settings, redis, tables });
    if (one === undefined) continue;
    ports = { ...ports, ...one.ports };
    built.push(one);
  }
  return together(built);
}

/** What the kernel provides. */
function portsOf(parts: AreaParts): Partial<Ports> {
  const { clock, log, leadership, access, rules, operations, administration, stores } = parts;
  const { settings, metrics, topicNotices } = parts;
  const { ownership, tags, identities, secretBox, secretHandOut } = administration;
  const { statistics, humanTasks, humanTaskFeed, webhookWaits } = stores;
  return {
    ...{ clock, log, leadership, access, ownership, tags, operations, secretBox },
    ...{ metrics, topicNotices, statistics, humanTasks, humanTaskFeed, webhookWaits },
    definitionRules: rules,
    ownerOf: (ownerId) => administration.owner(ownerId),
    callerOf: (id) => (settings.auth ? callerOf(id, identities) : localAdministrator),
    identityRevision: () => identities.revision,
    secretsFor: secretHandOut.lookupFor,
    evaluate: (request) => parts.sandbox.evaluate(request),
    search: {
      context: operations,
      store: stores.executions.search,
      limits: defaultSearchLimits,
    },
    valueLimits: settings,
    trustedProxies: settings.trustedProxies,
    retentionMs: settings.retentionSeconds * 1000,
    searchTextBytesMax: settings.searchTextBytesMax,
  };
}

function quarantineArea({ operations, stores, settings }: AreaParts): Area {
  const { executions } = operations;
  const context = { executions, store: stores.quarantine, shards: settings.shards };
  return { endpoints: quarantineRoutes(context), services: [] };
}

/** Everything that the areas serve and run. */
export function buildAreas(parts: AreaParts): Area {
  return together(all.map((build) => build(parts)));
}

function together(areas: readonly Area[]): Area {
  return {
    endpoints: areas.flatMap(({ endpoints }) => endpoints),
    services: areas.flatMap(({ services }) => services),
    healthDetails: () => Object.assign({}, ...areas.map((area) => area.healthDetails?.() ?? {})),
  };
}
