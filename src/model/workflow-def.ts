// Workflow definition and task configuration (contract-core 6.1, 6.2). `parse-workflow-def.ts`
// makes them from outside input with all defaults filled in, so the fields that have a default are
// never absent here. Wire names throughout; what is absent on the wire is an absent property.
import type { Json, JsonMap } from './json.js';
import type { AuditFields, SchemaDef } from './audit-fields.js';
import type { TaskDef } from './task-def.js';

export interface RateLimitConfig {
  rateLimitKey?: string;
  concurrentExecLimit: number;
  policy: 'QUEUE' | 'REJECT';
}

export interface CacheConfig {
  key?: string;
  ttlInSecond: number;
}

/** States of a task that `onStateChange` may name (semantics 2.14.4). */
export const stateHooks = [
  'onScheduled',
  'onStart',
  'onSuccess',
  'onFailed',
  'onCancelled',
] as const;
export type StateHook = (typeof stateHooks)[number];

export interface StateChangeEvent {
  type?: string;
  payload?: JsonMap;
}

export type IdempotencyStrategy = 'FAIL' | 'RETURN_EXISTING' | 'FAIL_ON_RUNNING';

export interface SubWorkflowParams {
  /**
   * Absent only when `workflowDefinition` is an object: then name and version are that object's.
   */
  name?: string;
  /** Absent: latest when the parent starts; 0: latest when the task starts (semantics 0.4). */
  version?: number;
  taskToDomain?: { [taskType: string]: string };
  /** A definition, or an expression text `${...}`. */
  workflowDefinition?: WorkflowDef | string;
  idempotencyKey?: string;
  idempotencyStrategy?: IdempotencyStrategy;
  priority?: Json;
}

/** Task configuration inside a workflow definition. */
export interface WorkflowTask {
  name: string;
  taskReferenceName: string;
  description?: string;
  inputParameters: JsonMap;
  /** Any text: an unknown type is a worker task polled under that text (contract-core 3). */
  type: string;
  dynamicTaskNameParam?: string;
  caseValueParam?: string;
  caseExpression?: string;
  scriptExpression?: string;
  evaluatorType?: string;
  expression?: string;
  decisionCases: { [caseValue: string]: WorkflowTask[] };
  defaultCase: WorkflowTask[];
  forkTasks: WorkflowTask[][];
  dynamicForkJoinTasksParam?: string;
  dynamicForkTasksParam?: string;
  dynamicForkTasksInputParamName?: string;
  joinOn: string[];
  joinStatus?: string;
  joinMode?: 'SYNC' | 'ASYNC';
  defaultExclusiveJoinTask: string[];
  loopCondition?: string;
  loopOver: WorkflowTask[];
  items?: Json;
  subWorkflowParam?: SubWorkflowParams;
  sink?: string;
  /** Seconds. */
  startDelay: number;
  optional: boolean;
  permissive: boolean;
  asyncComplete: boolean;
  rateLimited?: boolean;
  /** Overrides the task definition's when present. */
  retryCount?: number;
  /**
   * As given on write; in an execution's snapshot the registered or ad-hoc definition (semantics
   * 0.4).
   */
  taskDefinition?: TaskDef;
  onStateChange: { [hooks: string]: StateChangeEvent[] };
  cacheConfig?: CacheConfig;
  metadata: JsonMap;
}

export interface WorkflowDef extends AuditFields {
  name: string;
  version: number;
  description?: string;
  tasks: WorkflowTask[];
  inputParameters: string[];
  outputParameters: JsonMap;
  failureWorkflow?: string;
  failureWorkflowVersion?: number;
  schemaVersion: number;
  restartable: boolean;
  workflowStatusListenerEnabled: boolean;
  workflowStatusListenerSink?: string;
  ownerEmail?: string;
  timeoutPolicy: 'TIME_OUT_WF' | 'ALERT_ONLY';
  /** Seconds; 0 = none. */
  timeoutSeconds: number;
  variables: JsonMap;
  inputTemplate: JsonMap;
  rateLimitConfig?: RateLimitConfig;
  inputSchema?: SchemaDef;
  outputSchema?: SchemaDef;
  enforceSchema: boolean;
  metadata: JsonMap;
  maskedFields: string[];
  cacheConfig?: CacheConfig;
}
