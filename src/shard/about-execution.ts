// The fields of a log line about an execution.
import type { OpenExecution } from '../engine/open-execution.js';
import { loggedTrace } from '../telemetry/trace-context.js';

/** Its id and its trace, under the names of the log's other lines. */
export function aboutExecution({ execution }: OpenExecution): object {
  return { workflowId: execution.id, ...loggedTrace(execution.attributes.trace) };
}
