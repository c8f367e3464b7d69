// How many executions of a definition, and how many that one caller caused, may be open in the
// cluster (docs/access.md section "Shares and quotas"). The indexes in the store are the count, so
// it survives restarts and takeovers and cannot drift; a node keeps the newest count of each name
// it starts, adds its own starts, and counts again once a second. A caller is refused after a fresh
// count only.
import { AppError } from '../model/errors.js';
import { openStatuses } from '../model/status.js';
import { Lru } from '../std/lru.js';
import type { Clock } from '../std/clock.js';
import type { SearchStore } from '../store/search-store.js';
import { plainId } from '../model/subject.js';

export interface OpenQuotaSettings {
  readonly definitionOpenExecutionsMax: number;
  readonly callerOpenExecutionsMax: number;
}

export type OpenQuota = keyof OpenQuotaSettings;

export interface OpenQuotasParts {
  /** Open executions; 0 = any. */
  readonly settings: OpenQuotaSettings;
  readonly index: Pick<SearchStore, 'count' | 'countOpenOf'>;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** A start was refused or held back. */
  readonly count: (quota: OpenQuota) => void;
}

/** Both quotas on open executions. */
export class OpenQuotas {
  readonly #ofDefinition: OpenExecutions;
  readonly #ofCaller: OpenExecutions;

  constructor({ settings, index, clock, count }: OpenQuotasParts) {
    const partsOf = (quota: OpenQuota): Omit<OpenExecutionsParts, 'countOpen' | 'said'> => ({
      ...{ most: settings[quota], clock, quota },
      refused: () => count(quota),
    });
    this.#ofDefinition = new OpenExecutions({
      ...partsOf('definitionOpenExecutionsMax'),
      countOpen: (name) =>
        index.count({
          names: [name],
          statuses: openStatuses,
          fromAt: undefined,
          untilAt: undefined,
        }),
      said: (name) => `executions of ${name} are open`,
    });
    this.#ofCaller = new OpenExecutions({
      ...partsOf('callerOpenExecutionsMax'),
      countOpen: (caller) => index.countOpenOf(caller),
      said: (caller) =>
        `executions that ${plainId(caller)} started, or that those started, are open`,
    });
  }

  /** Carries out and counts a start that a caller asks for. Rejects with AppError 'too-many'. */
  during<T>(caller: string, definition: string, start: () => Promise<T>): Promise<T> {
    return this.#ofCaller.during(caller, () => this.#ofDefinition.during(definition, start));
  }

  /** Counts a start that an execution orders; else tells the quota that leaves it no room. */
  async full(caller: string, definition: string): Promise<OpenQuota | undefined> {
    if (!(await this.#ofDefinition.hasRoom(definition))) return 'definitionOpenExecutionsMax';
    return (await this.#ofCaller.hasRoom(caller)) ? undefined : 'callerOpenExecutionsMax';
  }
}

export interface OpenExecutionsParts {
  readonly quota: OpenQuota;
  /** Open executions under one name; 0 = any. */
  readonly most: number;
  /** Asks the store for those under a name. */
  readonly countOpen: (name: string) => Promise<number>;
  /** The words for the open executions in a refusal: "executions of N are open". */
  readonly said: (name: string) => string;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** A start was refused or held back. */
  readonly refused: () => void;
}

interface Estimate {
  open: number;
  /** Starts of callers that are not answered yet, so may not stand in the store. */
  underWay: number;
  /** When the store was asked, monotonic ms. */
  countedAt: number;
  counting: Promise<void> | undefined;
}

/** Age of a count that is made again in the background, ms. */
const freshMs = 1000;
/** Age of a count by which a caller may be refused, ms: bounds what refusals cost the store. */
const refusableMs = 250;
/** Names (of definitions, or of callers) of which a count is kept. */
const namesMax = 10_000;

export class OpenExecutions {
  readonly #byName = new Lru<string, Estimate>(namesMax);

  constructor(private readonly parts: OpenExecutionsParts) {}

  /**
   * Carries out a start that a caller asks for, and counts it. Waits for the store only if the
   * count is unknown or says that there is no room. Rejects with AppError 'too-many'.
   */
  async during<T>(name: string, start: () => Promise<T>): Promise<T> {
    if (this.parts.most === 0) return await start();
    const estimate = this.#admitNow(name) ?? (await this.#admitSlowly(name));
    estimate.underWay++;
    try {
      return await start();
    } finally {
      estimate.underWay--;
    }
  }

  /** Counts a start that an execution orders, if there is room; else it is to wait. */
  async hasRoom(name: string): Promise<boolean> {
    return this.parts.most === 0 || (await this.#taken(name)) !== undefined;
  }

  #admitNow(name: string): Estimate | undefined {
    const known = this.#byName.get(name);
    if (known === undefined || known.open >= this.parts.most) return undefined;
    // A count that cannot be made is made with a later start.
    if (this.#ageOf(known) >= freshMs) this.#recount(name, known).catch(() => undefined);
    known.open++;
    return known;
  }

  async #admitSlowly(name: string): Promise<Estimate> {
    const estimate = await this.#taken(name);
    if (estimate !== undefined) return estimate;
    throw new AppError(
      'too-many',
      `${this.parts.most} ${this.parts.said(name)} already (${this.parts.quota})`,
      { retryAfterSeconds: 1 },
    );
  }

  async #taken(name: string): Promise<Estimate | undefined> {
    const estimate = await this.#fresh(name);
    if (estimate.open >= this.parts.most) {
      this.parts.refused();
      return undefined;
    }
    estimate.open++;
    return estimate;
  }

  /** The estimate, counted again where it leaves no room and is not of this moment. */
  async #fresh(name: string): Promise<Estimate> {
    let known = this.#byName.get(name);
    if (known === undefined) {
      known = { open: 0, underWay: 0, countedAt: Number.NEGATIVE_INFINITY, counting: undefined };
      this.#byName.set(name, known);
    }
    const age = this.#ageOf(known);
    if (age >= freshMs || (known.open >= this.parts.most && age >= refusableMs)) {
      await this.#recount(name, known);
    }
    return known;
  }

  /**
   * Starts that are under way when the store is asked, or admitted while it counts, stay counted on
   * top: it may not know them. So this may say more than there are, until the next count.
   */
  #recount(name: string, estimate: Estimate): Promise<void> {
    if (estimate.counting !== undefined) return estimate.counting;
    const certain = estimate.open - estimate.underWay;
    const askedAt = this.parts.clock.monotonic();
    estimate.counting = this.parts
      .countOpen(name)
      .then((open) => {
        estimate.open = open + (estimate.open - certain);
        estimate.countedAt = askedAt;
      })
      .finally(() => {
        estimate.counting = undefined;
      });
    return estimate.counting;
  }

  #ageOf({ countedAt }: Estimate): number {
    return this.parts.clock.monotonic() - countedAt;
  }
}
