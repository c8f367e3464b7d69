// A wait for the end of an execution, whatever its end is.
import type { OpenExecution } from '../engine/open-execution.js';
import { present } from '../model/record-reader.js';
import { isTerminalWorkflow } from '../model/status.js';
import type { NamedWait } from '../shard/named-views.js';

interface Outcome {
  /** It is COMPLETED. */
  readonly isDone: boolean;
  readonly why?: string;
}

/** Reached when the execution has ended; late, it tells how far it is. */
export const endedWait: NamedWait<null, Outcome> = {
  // Nodes of the version before know it by this name.
  name: 'event-connectivity',
  reached: (open) =>
    isTerminalWorkflow(open.execution.state.status) ? outcomeOf(open) : undefined,
  late: outcomeOf,
};

function outcomeOf({ execution }: OpenExecution): Outcome {
  const { status, reasonForIncompletion: why } = execution.state;
  return { isDone: status === 'COMPLETED', ...present({ why }) };
}
