// An area is a folder of its own for everything that only it knows (schedules, webhooks, ...),
// which can be read, tested and deleted alone. `area()` declares what it brings: settings, kinds of
// records, stores, checks of the keyspace, endpoints, services. It also names the ports that it
// needs (ports.ts); `build` is given these and nothing else. `list.ts` names all areas.
//
// A node builds areas in two steps, because the kernel asks some of them and they ask the kernel.
// `begin` comes before executions are built and lends the kernel what it asks of the area
// (lent.ts); `build` comes last, when everything stands.
import type { Endpoint } from '../api/endpoint.js';
import type { Check, FsckParts } from '../fsck/check.js';
import type { ExecutionCheck } from '../fsck/read-execution.js';
import type { JsonMap } from '../model/json.js';
import type { RecordCodecs, RecordTables, TablesOf } from '../operation/records/record-tables.js';
import type { RedisClient } from '../redis/client.js';
import type { Setting, SettingsOf } from '../settings/setting.js';
import type { Job } from '../std/job.js';
import type { Service } from '../std/service.js';
import type { SystemTaskType } from '../system-task/system-task.js';
import type { MetricSet, MetricTable, Metrics } from '../telemetry/metrics.js';
import type { Lent } from './lent.js';
import type { FirstPortName, PortName, Ports, ProvidedFirstName } from './ports.js';

/** The endpoints and services of an area. */
export interface BuiltArea {
  readonly endpoints: readonly Endpoint[];
  /** Started in order once the shards are served; stopped in reverse order before their release. */
  readonly services?: readonly Service[];
  /** The jobs of the area; supervised from the start of the services to their stop. */
  readonly jobs?: readonly Job[];
  /** Adds to the details of GET /health. */
  readonly healthDetails?: () => JsonMap;
  /** The ports that it declares to provide. */
  readonly ports?: Partial<Ports>;
}

/** The endpoints and services of several areas. */
export interface BuiltAreas extends Pick<BuiltArea, 'endpoints' | 'healthDetails'> {
  readonly services: readonly Service[];
}

type SettingTable = Readonly<Record<string, Setting<unknown>>>;

/** The parts of an area in both steps. */
interface Own<S extends SettingTable, R, T, M extends string> {
  readonly settings: SettingsOf<S>;
  readonly records: TablesOf<R>;
  readonly stores: T;
  /** The metrics that it declares. */
  readonly metrics: MetricSet<M>;
}

/** The parts that `begin` leaves for `build`, beside those that it lends. */
interface Begun {
  readonly lent: Partial<Lent>;
  /** First ports that it provides. */
  readonly ports?: Partial<Pick<Ports, ProvidedFirstName>>;
}

interface Declaration<
  S extends SettingTable,
  R extends RecordCodecs,
  T,
  F extends FirstPortName,
  B extends Begun | undefined,
  N extends PortName,
  M extends string,
> {
  /** Also the name of its folder. */
  readonly name: string;
  /** The purpose of the area; one sentence. */
  readonly about: string;
  readonly settings: S;
  /** Rules beyond the bounds of single settings. Throws SettingError. */
  checkSettings?(settings: SettingsOf<S>): void;
  /** While false nothing of the area is built: its routes are 404. Absent: always true. */
  readonly isServed?: (settings: SettingsOf<S>) => boolean;
  /** Kinds of records; both steps are given a table of each under the same name. */
  readonly records: R;
  /** Its stores: nothing else of an area is given the store's client. */
  readonly stores?: (redis: RedisClient, settings: SettingsOf<S>, facts: StoreFacts) => T;
  /**
   * The findings of its checks, by kind, each with the promise that it breaks (invariants section
   * 4).
   */
  readonly findings?: Readonly<Record<string, string>>;
  /** Checks of a live keyspace (docs/fsck.md). */
  readonly checks?: (parts: FsckParts) => readonly Check<unknown>[];
  /** Compared with each execution that fsck reads. */
  readonly executionChecks?: readonly ExecutionCheck[];
  /**
   * Types of tasks that the server runs and that belong to it. Their runs get services, not ports
   * (`SystemTaskServices`), since executions need them before the area is built.
   */
  readonly taskTypes?: readonly SystemTaskType[];
  /** Its metrics (docs/metrics.md); both steps are given what counts them. */
  readonly metrics?: MetricTable<M>;
  /** Ports of `begin`: those that stand before executions do. */
  readonly needsFirst?: readonly F[];
  /** Names of what `begin` lends the kernel. */
  readonly lends?: readonly (keyof Lent)[];
  readonly begin?: (ports: Pick<Ports, F>, own: Own<S, R, T, M>) => B;
  readonly needs: readonly N[];
  /** Ports that it brings, for the areas behind it in the list. */
  readonly provides?: readonly PortName[];
  readonly build: (
    ports: Pick<Ports, N>,
    own: Own<S, R, T, M> & { readonly begun: B },
  ) => BuiltArea;
}

/** The facts that stores of areas may know beside their settings. */
export interface StoreFacts {
  /** How long what has ended is kept, ms. */
  readonly retentionMs: number;
  /** Of the keyspace. */
  readonly shards: number;
}

type Shown =
  | ('name' | 'about' | 'settings' | 'checkSettings' | 'taskTypes' | 'metrics')
  | ('findings' | 'checks' | 'executionChecks');

/** An area as the rest of the server sees it. */
export interface Area<S extends SettingTable = SettingTable> extends Pick<
  Declaration<S, RecordCodecs, unknown, FirstPortName, Begun | undefined, PortName, string>,
  Shown | 'needs' | 'needsFirst' | 'lends' | 'provides'
> {
  /** Kinds of its records. */
  readonly recordKinds: readonly string[];
  /** The first step on a node; undefined while the settings switch the area off. */
  open(from: OpenParts<S>): OpenArea | undefined;
}

interface OpenParts<S extends SettingTable> {
  readonly ports: Partial<Ports>;
  readonly settings: SettingsOf<S>;
  readonly redis: RedisClient;
  readonly facts: StoreFacts;
  readonly metrics: Metrics;
  /** Opens the record table of a kind; loaded before any service starts. */
  readonly tables: RecordTables;
}

/** An area after its first step. */
export interface OpenArea {
  readonly lent: Partial<Lent>;
  /** For the areas behind it in the list. */
  readonly ports: Partial<Ports>;
  /** The second step. */
  build(ports: Partial<Ports>): BuiltArea;
}

export function area<
  S extends SettingTable,
  R extends RecordCodecs,
  T,
  N extends PortName = never,
  F extends FirstPortName = never,
  B extends Begun | undefined = undefined,
  M extends string = never,
>(declared: Declaration<S, R, T, F, B, N, M>): Area<S> {
  const { records, stores, begin, build, isServed = () => true, ...shown } = declared;
  return {
    ...shown,
    recordKinds: Object.values(records).map(({ kind }) => kind),
    open({ ports: first, settings, redis, facts, metrics, tables }) {
      if (!isServed(settings)) return undefined;
      const own = {
        settings,
        records: tables.openAll(records),
        stores: stores?.(redis, settings, facts) as T,
        metrics: metrics.of(declared.metrics ?? ({} as MetricTable<M>)),
      };
      const begun = begin?.(pick(first, declared.needsFirst ?? []), own) as B;
      return {
        lent: begun?.lent ?? {},
        ports: begun?.ports ?? {},
        build: (ports) => build(pick(ports, declared.needs), { ...own, begun }),
      };
    },
  };
}

/** Throws Error for a port that nothing provides: the list of areas is in the wrong order. */
function pick<N extends PortName>(ports: Partial<Ports>, names: readonly N[]): Pick<Ports, N> {
  const found = names.map((name) => {
    if (ports[name] === undefined) throw new Error(`Nothing provides the port ${name}`);
    return [name, ports[name]];
  });
  return Object.fromEntries(found) as Pick<Ports, N>;
}
