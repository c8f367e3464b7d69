import type { Task } from '../model/execution.js';
import type { JsonMap } from '../model/json.js';
import type { WorkflowTask } from '../model/workflow-def.js';
export function branchConfigsOf(_fork: Task): WorkflowTask[] {
  return [];
}
export function toWireTask(config: WorkflowTask): JsonMap {
  return config as unknown as JsonMap;
}
