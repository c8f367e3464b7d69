// An entry of the audit log: who did what to which objects.

export interface AuditEntry {
  /** Store time, epoch ms. */
  readonly at: number;
  /** Subject id; '' for nobody. */
  readonly caller: string;
  readonly callerKind: string;
  /** Name of the endpoint. */
  readonly action: string;
  /** Ids and names of what was touched, as the request named them. */
  readonly objects: readonly string[];
  /** HTTP status of the answer. */
  readonly status: number;
  /** Client address. */
  readonly address: string;
  /** In the caller's words. */
  readonly reason?: string;
  /** How often it happened in the minute up to `at`; absent: once. */
  readonly times?: number;
}
