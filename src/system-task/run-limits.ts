// How many system tasks run at once: in all, which callers share (std/shared-limiter.ts), per lane
// of a caller (a slow host holds up only its own tasks), and as the task's definition says
// (concurrentExecLimit, rateLimitPerFrequency; semantics 4.0.2). All counts are of this node. A run
// waits in the order: definition, lane, all; so what waits for a busy host takes nothing away from
// others.
import { sleep, type Clock } from '../std/clock.js';
import { Limiter } from '../std/limiter.js';
import { Lru } from '../std/lru.js';
import { SharedLimiter } from '../std/shared-limiter.js';

/** Definitions with a rate that are remembered, those used last. */
const windowsMax = 10_000;

export interface RunLimitSettings {
  readonly runsMax: number;
  readonly runsPerLaneMax: number;
}

export interface DefinitionLimits {
  readonly defName: string;
  /** 0 = none. */
  readonly concurrentExecLimit: number;
  /** 0 = none. */
  readonly rateLimitPerFrequency: number;
  readonly rateLimitFrequencyInSeconds: number;
}

export interface RunPlace {
  readonly lane: string;
  /** The starter of the execution; '' where that is not known. */
  readonly caller: string;
}

export class RunLimits {
  readonly #all: SharedLimiter;
  readonly #lanes = new Map<string, { limiter: Limiter; users: number }>();
  readonly #windows = new Lru<string, RateWindow>(windowsMax);

  constructor(
    private readonly settings: RunLimitSettings,
    private readonly clock: Clock,
  ) {
    this.#all = new SharedLimiter(settings.runsMax);
  }

  async run<T>(
    { lane, caller }: RunPlace,
    limits: DefinitionLimits | undefined,
    task: () => Promise<T>,
  ): Promise<T> {
    const inLane = (): Promise<T> =>
      this.#inLane(`lane ${lane}\0${caller}`, this.settings.runsPerLaneMax, () =>
        this.#all.run(caller, task),
      );
    if (limits === undefined) return inLane();
    const { defName, concurrentExecLimit } = limits;
    const inWindow = async (): Promise<T> => {
      await this.#window(limits)?.enter();
      return inLane();
    };
    if (concurrentExecLimit === 0) return inWindow();
    return this.#inLane(`def ${concurrentExecLimit} ${defName}`, concurrentExecLimit, inWindow);
  }

  /** Lanes exist while somebody uses them. */
  async #inLane<T>(key: string, limit: number, task: () => Promise<T>): Promise<T> {
    let lane = this.#lanes.get(key);
    if (lane === undefined) {
      lane = { limiter: new Limiter(limit), users: 0 };
      this.#lanes.set(key, lane);
    }
    lane.users += 1;
    try {
      return await lane.limiter.run(task);
    } finally {
      lane.users -= 1;
      if (lane.users === 0) this.#lanes.delete(key);
    }
  }

  #window(limits: DefinitionLimits): RateWindow | undefined {
    const { defName, rateLimitPerFrequency, rateLimitFrequencyInSeconds } = limits;
    if (rateLimitPerFrequency === 0) return undefined;
    const key = `${rateLimitPerFrequency} ${rateLimitFrequencyInSeconds} ${defName}`;
    let window = this.#windows.get(key);
    if (window === undefined) {
      window = new RateWindow(
        rateLimitPerFrequency,
        rateLimitFrequencyInSeconds * 1000,
        this.clock,
      );
      this.#windows.set(key, window);
    }
    return window;
  }
}

/** At most `count` entries in any `lengthMs`; the rest wait in order. */
class RateWindow {
  readonly #entered: number[] = [];
  #last: Promise<void> = Promise.resolve();

  constructor(
    private readonly count: number,
    private readonly lengthMs: number,
    private readonly clock: Clock,
  ) {}

  enter(): Promise<void> {
    this.#last = this.#last.then(() => this.#take());
    return this.#last;
  }

  async #take(): Promise<void> {
    for (;;) {
      const now = this.clock.monotonic();
      while (this.#entered.length > 0 && (this.#entered[0] as number) + this.lengthMs <= now) {
        this.#entered.shift();
      }
      if (this.#entered.length < this.count) {
        this.#entered.push(now);
        return;
      }
      await sleep(this.clock, (this.#entered[0] as number) + this.lengthMs - now);
    }
  }
}
