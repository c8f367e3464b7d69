// Opens the areas with a room of their own (areas/list.ts) on a node, and builds them when
// everything else stands (areas/area.ts tells of the two steps).
import type { TargetType } from '../access/access-rules.js';
import { everyId } from '../access/resource-names.js';
import type { SecretBox } from '../access/secret-box.js';
import type { BuiltArea, BuiltAreas } from '../areas/area.js';
import type { Lent } from '../areas/lent.js';
import { areas } from '../areas/list.js';
import type { GivenFirstName, Ports } from '../areas/ports.js';
import type { BrokerKind } from '../broker/broker-kind.js';
import type { Lookup } from '../std/lookup.js';
import type { Definitions } from '../operation/definitions/definitions.js';
import type { RecordTables } from '../operation/records/record-tables.js';
import type { RedisClient } from '../redis/client.js';
import type { Clock } from '../std/clock.js';
import type { Job } from '../std/job.js';
import { PeriodicLoop } from '../std/periodic-loop.js';
import type { ThreadTurns } from '../std/thread-turns.js';
import { AccessRules } from '../system-task/outbound-access.js';
import type { OutboundClient } from '../system-task/outbound-client.js';
import type { Logger } from '../telemetry/logger.js';
import type { Metrics } from '../telemetry/metrics.js';
import { ownEnvironment } from './own-environment.js';
import { outboundAccess } from './outbound-settings.js';
import type { NodeStores } from './node-stores.js';
import { isSecure } from './settings-checks.js';
import type { Settings } from './settings-table.js';

/** The areas with a room of their own after their first step. */
export interface OpenAreas {
  readonly lent: Lent;
  /** The second step: each is given the ports that it names. */
  build(ports: Partial<Ports>): BuiltAreas;
}

/** Opens the areas with a room of their own: their stores and tables, and what they lend. */
export function openAreas(parts: {
  readonly settings: Settings;
  readonly redis: RedisClient;
  readonly tables: RecordTables;
  readonly metrics: Metrics;
  readonly ports: Pick<Ports, GivenFirstName>;
}): OpenAreas {
  const { shards, retentionSeconds } = parts.settings;
  const facts = { shards, retentionMs: retentionSeconds * 1000 };
  let first: Pick<Ports, GivenFirstName> & Partial<Ports> = parts.ports;
  const opened = areas.flatMap((area) => {
    const one = area.open({ ...parts, ports: first, facts });
    if (one === undefined) return [];
    first = { ...first, ...one.ports };
    return [one];
  });
  return {
    // Each is lent by an area that is always served; a test holds that.
    lent: Object.assign({}, ...opened.map(({ lent }) => lent)) as Lent,
    build(given) {
      let ports = { ...first, ...given };
      const built: BuiltArea[] = [];
      for (const area of opened) {
        const one = area.build(ports);
        ports = { ...ports, ...one.ports };
        built.push({ ...one, services: [...(one.services ?? []), ...supervised(one.jobs, ports)] });
      }
      return together(built);
    },
  };
}

/** Each job of an area as a service. */
function supervised(
  jobs: readonly Job[] = [],
  { clock, log }: Pick<Ports, GivenFirstName>,
): PeriodicLoop[] {
  return jobs.map(
    ({ name, everyMs, runsOn, runOnce }) =>
      new PeriodicLoop({
        ...{ name, everyMs, runsOn, runOnce, clock },
        failed: (error) => log.warn({ err: error, job: name }, 'a run of a job failed'),
      }),
  );
}

/** Ports that stand before executions do. */
export function firstPorts(parts: {
  readonly settings: Settings;
  readonly log: Logger;
  readonly clock: Clock;
  readonly failed: (error: unknown) => void;
  readonly tables: RecordTables;
  readonly secretBox: SecretBox;
  readonly outbound: OutboundClient;
  readonly threadTurns: ThreadTurns;
  readonly brokerKinds: Lookup<BrokerKind>;
  readonly describeServer: Ports['describeServer'];
  readonly vectors: Ports['vectors'];
  readonly stores: Pick<NodeStores, 'executions' | 'objects' | 'secret'>;
  readonly definitions: Pick<Definitions, 'table'>;
}): Pick<Ports, GivenFirstName> {
  const { settings, tables, stores, definitions, ...given } = parts;
  return {
    ...given,
    outboundRules: new AccessRules(outboundAccess(settings)),
    objects: () => stores.objects,
    deploymentSecret: stores.secret,
    executionRecords: stores.executions,
    shards: settings.shards,
    definitionTable: () => definitions.table,
    hasNamedEvery: (type) => hasNamedEvery(type, definitions, tables),
    web: { isSecure: isSecure(settings), origins: settings.webOrigins },
    payloadBytesMax: settings.workflowPayloadBytesMax,
    valueLimits: settings,
    environment: ownEnvironment(settings.environmentNames),
    trustedProxies: settings.trustedProxies,
    retentionMs: settings.retentionSeconds * 1000,
    searchTextBytesMax: settings.searchTextBytesMax,
  };
}

/** Whether an earlier version has stored a resource of the type that is called `*`. */
function hasNamedEvery(
  type: TargetType,
  { table }: Pick<Definitions, 'table'>,
  tables: RecordTables,
): boolean {
  if (type === 'WORKFLOW_DEF') return table.latest(everyId) !== undefined;
  if (type === 'TASK_DEF') return table.taskDef(everyId) !== undefined;
  return tables.hasNamedEvery(type);
}

export function together(areas: readonly BuiltArea[]): BuiltAreas {
  return {
    endpoints: areas.flatMap(({ endpoints }) => endpoints),
    services: areas.flatMap(({ services = [] }) => services),
    healthDetails: () => Object.assign({}, ...areas.map((area) => area.healthDetails?.() ?? {})),
  };
}
