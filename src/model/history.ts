// The history of what callers did to an execution: controls, edits, and reports by people; and
// which sinks got no event of it. Kept with the execution and written only when such a thing
// happens. It names what was changed and holds no values.
import type { CallerKind } from './caller.js';
import type { JsonMap } from './json.js';

export interface HistoryEntry {
  /** Number of the entry in its execution, from 1; never given twice. */
  revision: number;
  /** Epoch ms. */
  time: number;
  /** Subject id; '' for everybody while authentication is off. */
  actor: string;
  actorKind: CallerKind;
  /** Kind of the command, `event-refused`, or `abandoned` (invariants M19). */
  action: string;
  /** The task that it was about. */
  taskId?: string;
  /** In the actor's words. */
  reason?: string;
  /** Names of what was given or replaced. */
  changes?: JsonMap;
}
