// The areas of the server beside executions (schedules, webhooks, identity, ...): each builds its
// endpoints and services out of the same parts. This list is their table of contents; an area's own
// composition stands in its function.
import type { AccessRules } from './access/access-rules.js';
import type { Endpoint } from './api/endpoint.js';
import type { Settings } from './config.js';
import type { OperationContext } from './operation/context.js';
import type { RecordTables } from './operation/records/record-tables.js';
import type { RedisClient } from './redis/client.js';
import type { Clock } from './std/clock.js';
import type { Service } from './std/service.js';
import type { Logger } from './telemetry/logger.js';

export interface AreaParts {
  readonly settings: Settings;
  readonly log: Logger;
  /** Store time (invariants M11). */
  readonly clock: Clock;
  /** For the stores of an area; only folder redis uses it otherwise. */
  readonly redis: RedisClient;
  /** Opens the record table of a kind; the tables are loaded before any service starts. */
  readonly tables: RecordTables;
  readonly operations: OperationContext;
  readonly access: AccessRules;
}

export interface Area {
  readonly endpoints: readonly Endpoint[];
  /** Started in order once the shards are served; stopped in reverse order before their release. */
  readonly services: readonly Service[];
}

const areas: readonly ((parts: AreaParts) => Area)[] = [];

/** Everything that the areas serve and run. */
export function buildAreas(parts: AreaParts): Area {
  const built = areas.map((build) => build(parts));
  return {
    endpoints: built.flatMap(({ endpoints }) => endpoints),
    services: built.flatMap(({ services }) => services),
  };
}
