// An area of a plug-in: routes below `/api/plugins/NAME`, jobs, and records that the server keeps
// for it (docs/plugins.md). Routes and jobs are declared before anything runs, so a plug-in that
// declares a route twice, or one outside its prefix, is refused when it is loaded.
import type { Json } from '../model/json.js';
import type { Clock } from '../std/clock.js';
import type { PluginHttp, PluginSettingValues } from './plugin-services.js';

export interface PluginArea {
  /** The purpose of the area; one sentence. */
  readonly about: string;
  readonly endpoints: readonly PluginEndpoint[];
  readonly jobs?: readonly PluginJob[];
}

/**
 * The callers that may use a route.
 * - `callers`: anybody who is signed in.
 * - `creators`: those who create the server's own records (USER, METADATA_MANAGER, ADMIN).
 * - `administrators`: callers with the role ADMIN.
 */
export type PluginRouteUsers = 'callers' | 'creators' | 'administrators';

export const pluginMethods = ['GET', 'POST', 'PUT', 'DELETE'] as const;

/** A route of a plug-in. What it changes stands in the audit log under its name. */
export interface PluginEndpoint {
  readonly method: (typeof pluginMethods)[number];
  /** Behind `/api/plugins/NAME`: empty, or such as `/cities/:city` with a variable. */
  readonly path: string;
  /** Camel case, verb and noun; unique within the plug-in. */
  readonly name: string;
  /** One sentence for people. */
  readonly summary: string;
  /** Absent: `callers` for a GET, `creators` for every other method. */
  readonly users?: PluginRouteUsers;
  /** Query parameters that it reads, with the meaning of each. */
  readonly queries?: Readonly<Record<string, string>>;
  /** It reads a JSON body. */
  readonly takesBody?: boolean;
  /** The answer, as JSON; undefined: no body. A PluginRefusal is answered with its status. */
  handle(
    request: PluginRequest,
    services: PluginAreaServices,
  ): Json | undefined | Promise<Json | undefined>;
}

/** One request as the handler of a plug-in sees it. */
export interface PluginRequest {
  readonly caller: PluginCaller;
  /** A variable of the path, decoded. */
  param(name: string): string;
  /** A query parameter that the endpoint declares; undefined: not sent. */
  query(name: string): string | undefined;
  /** The body. Throws a refusal that is answered with 400 where it is no JSON. */
  json(): Json;
}

/** The identity that asks. */
export interface PluginCaller {
  /** As records show it; empty while authentication is off. */
  readonly id: string;
  readonly isAdministrator: boolean;
}

/** A loop of a plug-in, supervised and shown as those of the server are. */
export interface PluginJob {
  /** Unique within the plug-in; the name of the plug-in stands before it. */
  readonly name: string;
  /** From the end of a run to the next one, ms. */
  readonly everyMs: number;
  /** On each node, or on the one that leads the cluster. */
  readonly runsOn: 'node' | 'leader';
  /** `stopping` ends a long run early. */
  runOnce(services: PluginAreaServices, stopping: AbortSignal): Promise<unknown>;
}

/** The services that the server lends to the routes and jobs of a plug-in. */
export interface PluginAreaServices {
  readonly clock: Pick<Clock, 'now'>;
  /** Requests to other systems, at addresses that tasks may reach. */
  readonly client: PluginHttp;
  /** Values of the plug-in's own settings. */
  readonly settings: PluginSettingValues;
  readonly records: PluginRecords;
  /** One sentence in the log of the server. */
  readonly warn: (message: string) => void;
}

export interface PluginRecord {
  readonly id: string;
  readonly value: Json;
  /** The caller that created it, who owns it; empty while authentication is off. */
  readonly createdBy: string;
  /** Epoch ms. */
  readonly createTime: number;
  /** The caller that saved it last. */
  readonly updatedBy: string;
  /** Epoch ms. */
  readonly updateTime: number;
}

/**
 * Records of one plug-in, kept and backed up with those of the server. Read from memory; a change
 * is durable when it resolves and on every node within a second.
 */
export interface PluginRecords {
  get(id: string): PluginRecord | undefined;
  /** All of them, by id. */
  list(): readonly PluginRecord[];
  /**
   * Creates a record, which the caller then owns, or replaces one. Rejects with a refusal for a
   * record of another owner, unless an administrator asks, and beyond the limits (settings
   * pluginRecordsMax and pluginRecordBytesMax; 200 characters of an id). Without a caller the
   * plug-in itself changes it, as jobs do.
   */
  save(id: string, value: Json, caller?: PluginCaller): Promise<PluginRecord>;
  /** False when there is none. Rejects with a refusal as `save` does. */
  remove(id: string, caller?: PluginCaller): Promise<boolean>;
}

export type PluginRefusalKind = 'bad-request' | 'forbidden' | 'not-found' | 'conflict';

/** A refusal of a route: 400, 403, 404 or 409 with this message. */
export class PluginRefusal extends Error {
  constructor(
    readonly kind: PluginRefusalKind,
    message: string,
  ) {
    super(message);
    this.name = 'PluginRefusal';
  }
}

/** Told by its name: a plug-in throws the class of its own copy of the contract. */
export function isPluginRefusal(error: unknown): error is PluginRefusal {
  return error instanceof Error && error.name === 'PluginRefusal';
}
