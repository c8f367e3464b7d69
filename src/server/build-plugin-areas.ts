// The routes and jobs of plug-ins (plugin/plugin-area.ts) as the server runs its own: with rights,
// audit entries, a description, and a place in `/health` for each job.
import { endpoint, orNothing, query, type Endpoint, type AccessRule } from '../api/endpoint.js';
import type { RouteRequest } from '../api/route.js';
import { isAdministrator } from '../model/caller.js';
import { AppError } from '../model/errors.js';
import * as schema from '../model/schema.js';
import type { RecordTables } from '../operation/records/record-tables.js';
import type { Leadership } from '../placement/leadership.js';
import type { LoadedPlugin } from '../plugin/loaded-plugins.js';
import {
  isPluginRefusal,
  type PluginAreaServices,
  type PluginEndpoint,
  type PluginJob,
  type PluginRequest,
  type PluginRouteUsers,
} from '../plugin/plugin-area.js';
import type { PluginHttp } from '../plugin/plugin-services.js';
import {
  pluginRecordCodec,
  recordsOfPlugin,
  type PluginRecordLimits,
} from '../plugin/plugin-records.js';
import { shapeOf } from '../plugin/read-plugin-area.js';
import { SettingError } from '../settings/setting.js';
import type { Clock } from '../std/clock.js';
import { PeriodicLoop } from '../std/periodic-loop.js';
import type { Service } from '../std/service.js';
import type { Logger } from '../telemetry/logger.js';

export interface PluginAreaParts {
  readonly plugins: readonly LoadedPlugin[];
  readonly settings: PluginRecordLimits;
  readonly clock: Clock;
  readonly client: PluginHttp;
  /** Opens the table of the records; before the tables start. */
  readonly tables: RecordTables;
  readonly leadership: Pick<Leadership, 'leads'>;
  readonly log: Logger;
}

export interface BuiltPluginAreas {
  readonly endpoints: readonly Endpoint[];
  /** Started once the shards are served. */
  readonly services: readonly Service[];
}

/** Prefix of all routes of plug-ins; the name of the plug-in stands behind it. */
const prefix = '/api/plugins';

/** As for the server's own records (docs/access.md). */
const accessOf: Readonly<Record<PluginRouteUsers, AccessRule>> = {
  callers: { rule: 'caller' },
  creators: { rule: 'permission', anyOf: ['CREATE_INTEGRATION', 'METADATA_MANAGEMENT'] },
  administrators: { rule: 'administrator' },
};

/** Builds the areas of the plug-ins that are used. */
export function buildPluginAreas(parts: PluginAreaParts): BuiltPluginAreas {
  const { clock, client, log, leadership } = parts;
  const table = parts.tables.open(pluginRecordCodec);
  const built = parts.plugins.map(({ plugin: { name, areas = [] }, settings }) => {
    const services: PluginAreaServices = {
      ...{ clock, client, settings },
      records: recordsOfPlugin(name, table, { clock, limits: parts.settings }),
      warn: (message) => log.warn({ plugin: name }, message),
    };
    const jobs = areas.flatMap(({ jobs = [] }) => jobs);
    return {
      endpoints: areas
        .flatMap(({ endpoints }) => endpoints)
        .map((each) => toEndpoint(name, each, services)),
      services: jobs.map((job) => toLoop(name, job, { services, clock, log, leadership })),
    };
  });
  return {
    endpoints: built.flatMap(({ endpoints }) => endpoints),
    services: built.flatMap(({ services }) => services),
  };
}

/**
 * Throws SettingError where a plug-in declares a route that the server serves itself: both match
 * the same requests.
 */
export function refuseCollisions(served: readonly Endpoint[], added: readonly Endpoint[]): void {
  const taken = new Set(served.map(({ method, pattern }) => shapeOf(method, pattern)));
  for (const { method, pattern } of added) {
    if (!taken.has(shapeOf(method, pattern))) continue;
    const [, , , plugin] = pattern.split('/');
    throw new SettingError(
      `The plug-in ${plugin} declares ${method} ${pattern}, which the server serves itself.`,
    );
  }
}

function toEndpoint(
  plugin: string,
  declared: PluginEndpoint,
  services: PluginAreaServices,
): Endpoint {
  const { method, path, name, summary, queries = {}, takesBody = false } = declared;
  const { users = method === 'GET' ? 'callers' : 'creators' } = declared;
  return endpoint({
    ...{ method, summary, access: accessOf[users] },
    pattern: `${prefix}/${plugin}${path}`,
    name: `${plugin.replaceAll('-', '_')}_${name}`,
    parameters: Object.fromEntries(
      Object.entries(queries).map(([key, about]) => [key, query(schema.text(about))]),
    ),
    ...(takesBody && { body: { schema: schema.anything, required: true } }),
    errors: ['not-found', 'conflict'],
    reply: orNothing(schema.anything, 'No body where the plug-in answers nothing'),
    handle: async (request) => {
      try {
        return await declared.handle(requestOf(request), services);
      } catch (error) {
        if (isPluginRefusal(error)) throw new AppError(error.kind, error.message);
        throw error;
      }
    },
  });
}

function requestOf(request: RouteRequest): PluginRequest {
  const { caller } = request;
  return {
    caller: { id: caller.id, isAdministrator: isAdministrator(caller) },
    param: (name) => request.param(name),
    query: (name) => request.query(name),
    json: () => request.json(),
  };
}

function toLoop(
  plugin: string,
  { name, everyMs, runsOn, runOnce }: PluginJob,
  parts: {
    readonly services: PluginAreaServices;
    readonly clock: Clock;
    readonly log: Logger;
    readonly leadership: Pick<Leadership, 'leads'>;
  },
): PeriodicLoop {
  const { services, clock, log, leadership } = parts;
  const job = `${plugin}: ${name}`;
  return new PeriodicLoop({
    ...{ name: job, everyMs, runsOn, clock },
    runOnce: async (stopping) => {
      if (runsOn === 'leader' && !leadership.leads) return;
      await runOnce(services, stopping);
    },
    failed: (error) => log.warn({ err: error, job }, 'a run of a job failed'),
  });
}
