// How much time the scripts of one caller, and of one definition, may take in the processes of the
// sandbox (docs/access.md section "Shares and quotas"). Time is counted when a script ends, so one
// more may begin while there is any left: what it took beyond that is waited for. Scripts that are
// the server's own, and those that run at once on the node's thread, do not count.
import { RequestRates } from '../std/request-rates.js';
import type { ScriptShare } from './script-share.js';

/** Milliseconds of scripts in a second; 0 = any. */
export interface ScriptQuotaSettings {
  readonly callerScriptMsPerSecondMax: number;
  readonly definitionScriptMsPerSecondMax: number;
}

export type ScriptQuota = keyof ScriptQuotaSettings;

export const noScriptQuotas: ScriptQuotaSettings = {
  callerScriptMsPerSecondMax: 0,
  definitionScriptMsPerSecondMax: 0,
};

export interface HeldScript {
  readonly quota: ScriptQuota;
  readonly waitMs: number;
}

export class ScriptQuotas {
  readonly #caller: RequestRates | undefined;
  readonly #definition: RequestRates | undefined;

  constructor(settings: ScriptQuotaSettings) {
    this.#caller = ratesOf(settings.callerScriptMsPerSecondMax);
    this.#definition = ratesOf(settings.definitionScriptMsPerSecondMax);
  }

  /** Nobody has a quota. */
  get isNone(): boolean {
    return this.#caller === undefined && this.#definition === undefined;
  }

  /** The quota that scripts of a caller, or of one definition, wait for now; undefined: none. */
  heldBy(share: Partial<ScriptShare>, now: number): HeldScript | undefined {
    const { caller = '', definition = '' } = share;
    const byCaller = caller === '' ? undefined : this.#caller?.waitMs(caller, now);
    if (byCaller !== undefined) return { quota: 'callerScriptMsPerSecondMax', waitMs: byCaller };
    const ofOne = definition === '' ? undefined : this.#definition?.waitMs(definition, now);
    if (ofOne === undefined) return undefined;
    return { quota: 'definitionScriptMsPerSecondMax', waitMs: ofOne };
  }

  /** A script of them ran for so many ms. */
  count({ caller, definition }: ScriptShare, ms: number, now: number): void {
    if (caller !== '') this.#caller?.reserve(caller, now, ms);
    if (definition !== '') this.#definition?.reserve(definition, now, ms);
  }
}

function ratesOf(msPerSecondMax: number): RequestRates | undefined {
  if (msPerSecondMax === 0) return undefined;
  return new RequestRates({ burst: msPerSecondMax, refillMs: 1000 / msPerSecondMax });
}
