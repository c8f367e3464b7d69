// The task types that the server runs itself because they do I/O.
import { createEventTask, type EventTaskParts } from './event.js';
import { createGetWorkflowTask } from './get-workflow.js';
import { createHttpTask, type HttpTaskParts } from './http.js';
import type { SystemTask } from './system-task.js';
import { createTerminateWorkflowTask } from './terminate-workflow.js';
import { createUpdateTaskTask } from './update-task.js';
import type { OperationContext } from '../operation/context.js';

export interface SystemTaskListParts {
  readonly http: HttpTaskParts;
  readonly event: EventTaskParts;
  readonly context: Pick<OperationContext, 'executions' | 'clock' | 'access'>;
}

export function systemTasks({ http, event, context }: SystemTaskListParts): SystemTask[] {
  return [
    createHttpTask(http),
    createEventTask(event),
    createGetWorkflowTask(context),
    createUpdateTaskTask(context),
    createTerminateWorkflowTask(context),
  ];
}
