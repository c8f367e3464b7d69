// How many executions may be started per second at a node (invariants S18): by all callers, by one
// caller, and of one definition. A start that a caller asks for is refused beyond a quota; what an
// execution orders (children, START_WORKFLOW, failure workflows) counts for who started it, and
// waits for its place instead. Schedules and events are bounded where they come from.
import { RequestRates } from '../std/request-rates.js';
import { AppError } from '../model/errors.js';
import type { Clock } from '../std/clock.js';
import { plainId } from '../model/subject.js';

/** Starts per second; 0 = any. */
export interface StartQuotaSettings {
  readonly startsPerSecondMax: number;
  readonly callerStartsPerSecondMax: number;
  readonly definitionStartsPerSecondMax: number;
}

export type StartQuota = keyof StartQuotaSettings;

/** A start that waits for a quota. */
export interface HeldStart {
  readonly quota: StartQuota;
  readonly waitMs: number;
}

export interface StartQuotasParts {
  readonly settings: StartQuotaSettings;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** A start was refused or held back. */
  readonly count: (quota: StartQuota) => void;
}

export class StartQuotas {
  readonly #node: RequestRates | undefined;
  readonly #caller: RequestRates | undefined;
  readonly #definition: RequestRates | undefined;

  constructor(private readonly parts: StartQuotasParts) {
    const { settings } = parts;
    this.#node = ratesOf(settings.startsPerSecondMax);
    this.#caller = ratesOf(settings.callerStartsPerSecondMax);
    this.#definition = ratesOf(settings.definitionStartsPerSecondMax);
  }

  /** Counts a start that a caller asks for. Throws AppError 'too-many'. */
  admit(caller: string, definition: string): void {
    const now = this.parts.clock.monotonic();
    const wait =
      waitOf('startsPerSecondMax', this.#node?.waitMs('', now)) ??
      waitOf('callerStartsPerSecondMax', this.#caller?.waitMs(caller, now)) ??
      waitOf('definitionStartsPerSecondMax', this.#definition?.waitMs(definition, now));
    if (wait !== undefined) throw this.#refusal(wait, caller, definition);
    this.#node?.take('', now);
    this.#caller?.take(caller, now);
    this.#definition?.take(definition, now);
  }

  /** Gives a start that an execution orders its place; undefined: it may go at once. */
  reserve(caller: string, definition: string): HeldStart | undefined {
    if (this.#caller === undefined && this.#definition === undefined) return undefined;
    const now = this.parts.clock.monotonic();
    const byCaller = this.#caller?.reserve(caller, now) ?? 0;
    const byDefinition = this.#definition?.reserve(definition, now) ?? 0;
    const waitMs = Math.max(byCaller, byDefinition);
    if (waitMs === 0) return undefined;
    const quota =
      byCaller >= byDefinition ? 'callerStartsPerSecondMax' : 'definitionStartsPerSecondMax';
    this.parts.count(quota);
    return { quota, waitMs };
  }

  #refusal({ quota, waitMs }: HeldStart, caller: string, definition: string): AppError {
    this.parts.count(quota);
    const most = `${this.parts.settings[quota]} executions a second`;
    const texts: Readonly<Record<StartQuota, string>> = {
      startsPerSecondMax: `More than ${most} are started at this node`,
      callerStartsPerSecondMax: `More than ${most} are started by ${plainId(caller)} at this node`,
      definitionStartsPerSecondMax: `More than ${most} of ${definition} are started at this node`,
    };
    return new AppError('too-many', `${texts[quota]} (${quota})`, {
      retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
    });
  }
}

function ratesOf(perSecondMax: number): RequestRates | undefined {
  if (perSecondMax === 0) return undefined;
  return new RequestRates({ burst: perSecondMax, refillMs: 1000 / perSecondMax });
}

function waitOf(quota: StartQuota, waitMs: number | undefined): HeldStart | undefined {
  return waitMs === undefined ? undefined : { quota, waitMs };
}
