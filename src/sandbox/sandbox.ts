// Contract of the sandbox: evaluates a user's script under limits (invariants S2, semantics 3.10).
import type { ScriptRequest, ScriptResult } from '../engine/script.js';
import type { ScriptShare } from './script-share.js';
import type { ScriptQuota } from './script-quotas.js';
import type { ScriptRun } from './worker-pool.js';

export interface SandboxLimits {
  /** Semantics 3.10: 4000. */
  scriptTimeMsMax: number;
  scriptMemoryBytesMax: number;
  scriptOutputBytesMax: number;
}

export interface Sandbox {
  /**
   * Evaluates at once on this thread, within about 1 ms, where that is certain to be bounded.
   * Undefined: use `evaluate`.
   */
  tryInPlace(request: ScriptRequest): ScriptResult | undefined;
  /**
   * Never rejects: an error is a result. Runs on a worker that is killed at the limit, in turn with
   * the scripts of other callers and definitions; without `run` it is one of the server's own.
   */
  evaluate(request: ScriptRequest, run?: ScriptRun): Promise<ScriptResult>;
  /** The quota that the scripts of a caller and a definition wait for now; undefined: none. */
  heldBy(share: ScriptShare): ScriptQuota | undefined;
  stop(): Promise<void>;
}
