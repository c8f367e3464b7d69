// The parts of the wire's JSON that tests and tools read (contract-core 5 to 8, 15). Only what they
// look at is declared.

export type JsonObject = { [key: string]: unknown };

export interface WireTask {
  taskId: string;
  taskType: string;
  taskDefName: string;
  referenceTaskName: string;
  status: string;
  seq: number;
  retryCount: number;
  retried: boolean;
  iteration: number;
  pollCount: number;
  workflowInstanceId: string;
  workerId?: string;
  correlationId?: string;
  scheduledTime: number;
  startTime: number;
  endTime: number;
  responseTimeoutSeconds: number;
  reasonForIncompletion?: string;
  subWorkflowId?: string;
  inputData: JsonObject;
  outputData: JsonObject;
}

export interface WireWorkflow {
  workflowId: string;
  workflowName: string;
  workflowVersion: number;
  status: string;
  startTime: number;
  endTime: number;
  parentWorkflowId?: string;
  reasonForIncompletion?: string;
  input: JsonObject;
  output: JsonObject;
  variables: JsonObject;
  tasks: WireTask[];
}

/** A task configuration as a client writes it; `type` is SIMPLE when absent. */
export interface TaskConfig {
  name: string;
  taskReferenceName: string;
  type?: string;
  [field: string]: unknown;
}

export interface WireWorkflowDef {
  name: string;
  version?: number;
  tasks: TaskConfig[];
  [field: string]: unknown;
}

export interface WireTaskDef {
  name: string;
  [field: string]: unknown;
}

export interface WireStart {
  name: string;
  version?: number;
  input?: JsonObject;
  workflowDef?: WireWorkflowDef;
  [field: string]: unknown;
}

export type ResultStatus = 'IN_PROGRESS' | 'COMPLETED' | 'FAILED' | 'FAILED_WITH_TERMINAL_ERROR';

export interface WireTaskResult {
  workflowInstanceId: string;
  taskId: string;
  status: ResultStatus;
  outputData?: JsonObject;
  [field: string]: unknown;
}

export const finalStatuses: ReadonlySet<string> = new Set([
  'COMPLETED',
  'FAILED',
  'TIMED_OUT',
  'TERMINATED',
]);
