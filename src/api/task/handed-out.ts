// The answers that hand tasks to workers. One task is answered with the context of its trace as
// headers too, so that instrumentation which reads headers alone goes on with it; several tasks may
// be of several traces, so each has its own in its text alone (docs/tracing.md).
import { traceOfTaskText } from '../../model/handed-out-trace.js';
import type { TaskText } from '../../queue/task-queues.js';
import { traceHeaders } from '../../telemetry/trace-context.js';
import type { ApiResponse } from '../http-server.js';
import { jsonList } from '../json-list.js';
import { empty, jsonText } from '../route.js';

/** Of the reply that hands out a task, for the description of the API. */
export const traceHeadersDeclared: Readonly<Record<string, string>> = {
  traceparent: 'Context of the task, where it is the only one and its execution is traced',
  tracestate: 'Of the same trace, where there is one',
};

/** 200 with the task, or 204 without one. */
export function oneTask(task: TaskText | undefined): ApiResponse {
  return task === undefined ? empty(204) : withTrace(jsonText(task), task);
}

/** 200 with a list of tasks. */
export function listOfTasks(tasks: readonly TaskText[]): ApiResponse {
  const answer = jsonList(tasks);
  return tasks.length === 1 ? withTrace(answer, tasks[0] as TaskText) : answer;
}

function withTrace(answer: ApiResponse, task: TaskText): ApiResponse {
  const trace = traceOfTaskText(task);
  if (trace === undefined) return answer;
  return { ...answer, headers: Object.fromEntries(traceHeaders(trace)) };
}
