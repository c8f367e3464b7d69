// How many tasks may be open, and how many bytes executions may hold, of a caller and of a
// definition in the cluster (docs/access.md section "Shares and quotas"). Work that adds to them is
// refused: a start by a caller answers 429, a start that an execution orders waits, a fork beyond
// the quota fails its execution with the reason. Running work goes on, and its reports are taken.
import { AppError } from '../model/errors.js';
import type { HeldBy } from '../shard/held-loads.js';
import type { HeldLoad } from '../store/held-store.js';
import { plainId } from '../model/subject.js';

/** In the cluster; 0 = any. */
export interface HeldQuotaSettings {
  readonly callerOpenTasksMax: number;
  readonly definitionOpenTasksMax: number;
  readonly callerStoredBytesMax: number;
  readonly definitionStoredBytesMax: number;
}

export type HeldQuota = keyof HeldQuotaSettings;

export interface HeldQuotasParts {
  readonly settings: HeldQuotaSettings;
  /** The open tasks and bytes that a name holds on all nodes. */
  readonly heldBy: (by: HeldBy, name: string) => HeldLoad;
  /** A start or a fork was refused, or a start held back. */
  readonly count: (quota: HeldQuota) => void;
}

/** An execution may grow to so many open tasks whatever the quota: small forks do not fail. */
const smallForkMax = 20;

export class HeldQuotas {
  constructor(private readonly parts: HeldQuotasParts) {}

  get isSet(): boolean {
    const { settings } = this.parts;
    return (
      settings.callerOpenTasksMax > 0 ||
      settings.definitionOpenTasksMax > 0 ||
      settings.callerStoredBytesMax > 0 ||
      settings.definitionStoredBytesMax > 0
    );
  }

  /** Throws AppError 'too-many' where a start that a caller asks for has no room. */
  admit(caller: string, definition: string): void {
    const quota = this.#met(caller, definition);
    if (quota === undefined) return;
    throw new AppError('too-many', this.#sentence(quota, caller, definition), {
      retryAfterSeconds: 1,
    });
  }

  /** The quota that leaves a start that an execution orders no room. */
  full(caller: string, definition: string): HeldQuota | undefined {
    return this.#met(caller, definition);
  }

  /**
   * Why an execution with so many open tasks may not have `more` of them; undefined: it may.
   * Nothing is asked of those without a starter: there is no authentication.
   */
  refuseFork(
    caller: string | undefined,
    definition: string,
    { open, more }: { readonly open: number; readonly more: number },
  ): string | undefined {
    if (!caller || open + more <= smallForkMax) return undefined;
    const quota = this.#tasksMet(caller, definition, more);
    if (quota === undefined) return undefined;
    this.parts.count(quota);
    return `${more} branches are too many now: ${this.#sentence(quota, caller, definition)}`;
  }

  #met(caller: string, definition: string): HeldQuota | undefined {
    const quota = this.#tasksMet(caller, definition, 1) ?? this.#bytesMet(caller, definition);
    if (quota !== undefined) this.parts.count(quota);
    return quota;
  }

  #tasksMet(caller: string, definition: string, more: number): HeldQuota | undefined {
    const { settings, heldBy } = this.parts;
    const { callerOpenTasksMax, definitionOpenTasksMax } = settings;
    const isBeyond = (most: number, by: HeldBy, name: string): boolean =>
      most > 0 && heldBy(by, name).openTasks + more > most;
    if (isBeyond(callerOpenTasksMax, 'caller', caller)) return 'callerOpenTasksMax';
    return isBeyond(definitionOpenTasksMax, 'definition', definition)
      ? 'definitionOpenTasksMax'
      : undefined;
  }

  #bytesMet(caller: string, definition: string): HeldQuota | undefined {
    const { settings, heldBy } = this.parts;
    const { callerStoredBytesMax, definitionStoredBytesMax } = settings;
    const isBeyond = (most: number, by: HeldBy, name: string): boolean =>
      most > 0 && heldBy(by, name).bytes >= most;
    if (isBeyond(callerStoredBytesMax, 'caller', caller)) return 'callerStoredBytesMax';
    return isBeyond(definitionStoredBytesMax, 'definition', definition)
      ? 'definitionStoredBytesMax'
      : undefined;
  }

  #sentence(quota: HeldQuota, caller: string, definition: string): string {
    const most = this.parts.settings[quota];
    const texts: Readonly<Record<HeldQuota, string>> = {
      callerOpenTasksMax: `${most} tasks may be open of what ${plainId(caller)} started`,
      definitionOpenTasksMax: `${most} tasks may be open of executions of ${definition}`,
      callerStoredBytesMax: `${most} bytes may be stored of what ${plainId(caller)} started`,
      definitionStoredBytesMax: `${most} bytes may be stored of executions of ${definition}`,
    };
    return `${texts[quota]} (${quota})`;
  }
}
