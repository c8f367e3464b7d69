// For whom a script runs: what fair turns (job-queue.ts) and quotas (script-quotas.ts) count by.

/** The starter of the execution, and the name of its definition; '' = nobody with a name. */
export interface ScriptShare {
  readonly caller: string;
  readonly definition: string;
}
