// The state of the server now as other areas see it: streams follow it.
import type { Caller } from '../../model/caller.js';
import type { Overview } from './overview.js';
import type { QueueStats } from './queue-stats.js';

export interface Now {
  /** How much runs, and what needs attention; `windowMs` is how far back it looks. */
  overview(asked: { readonly caller: Caller; readonly windowMs: number }): Promise<Overview>;
  /** The state of each queue that the caller may see. */
  queues(caller: Caller): Promise<readonly QueueStats[]>;
}
