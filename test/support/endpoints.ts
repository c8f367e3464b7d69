// The endpoints of the server as its tables declare them, without anything that runs.
import { buildAreas, type AreaParts } from '../../src/server/areas.js';
import { firstPorts, openAreas } from '../../src/server/open-areas.js';
import { withApiDocs } from '../../src/api/description/api-docs.js';
import type { Endpoint } from '../../src/api/endpoint.js';
import { pageErrorRoutes } from '../../src/api/page-errors.js';
import { pluginRoutes } from '../../src/api/plugin-routes.js';
import { rightsRoutes } from '../../src/api/rights.js';
import { withResources } from '../../src/api/described-resources.js';
import { withFeatures } from '../../src/api/features.js';
import { allRoutes, type RouteParts } from '../../src/api/routes.js';
import { readSettings } from '../../src/server/config.js';
import { RecordTables } from '../../src/operation/records/record-tables.js';
import { systemClock } from '../../src/std/clock.js';

/** Stands for every part that endpoints are only handed: has any member, answers any call. */
const inert: unknown = new Proxy(() => inert, { get: () => inert, apply: () => inert });

const inertPorts = {
  ...{ failed: inert, outbound: inert, secretBox: inert, threadTurns: inert },
  ...{ brokerKinds: inert, describeServer: inert, vectors: inert },
  ...{ stores: { secret: Buffer.alloc(32), executions: inert }, definitions: inert },
};

/** Endpoints of a server that is started with these arguments. */
export function declaredEndpoints(args: readonly string[]): Endpoint[] {
  const settings = readSettings(args, {});
  const clock = systemClock;
  const tables = new RecordTables({} as never, clock, () => undefined);
  const common = { settings, clock, tables, log: {} };
  const ports = firstPorts({ ...common, ...inertPorts } as never);
  const rooms = openAreas({ settings, tables, ports, redis: inert, metrics: inert } as never);
  const { access } = rooms.lent;
  const operations = { access, clock };
  const known = { ...common, operations, access, rooms };
  const parts = new Proxy(known, {
    get: (target, name) => (name in target ? target[name as keyof typeof known] : inert),
  });
  const areas = buildAreas(parts as unknown as AreaParts);
  const routes = allRoutes({ metadata: {}, state: {} } as unknown as RouteParts);
  const facts = { version: '0', basePath: '', durability: 'none', environment: '', signIn: [] };
  const pageErrors = pageErrorRoutes(inert as never);
  const facing = [...pageErrors, ...rightsRoutes(access), ...pluginRoutes(() => [])];
  const own = [...routes, ...facing, ...areas.endpoints];
  const served = withFeatures(withResources(own), access, facts);
  return withApiDocs(served, facts);
}
