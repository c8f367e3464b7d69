// The archive as operations on executions see it: what has been removed from the store and is still
// read and found by its id. The area storage keeps it.
import type { OwnedExecution } from '../access/owned-execution.js';
import type { Json, JsonMap } from '../model/json.js';
import { toJsonText } from '../model/json-text.js';
import type { NameOwner } from '../model/name-registration.js';
import type { ExecutionId } from '../std/ids.js';
import type { ExecutionSummary } from '../store/search-store.js';

/** The fields of a Workflow (contract-core 7.1) that are read back. */
export interface ArchivedWorkflow extends JsonMap {
  readonly workflowName: string;
  readonly status: string;
}

/** An archived execution, and the facts that decide the rights on it. */
export interface Archived {
  readonly workflow: ArchivedWorkflow;
  readonly owned: OwnedExecution;
}

export interface ExecutionArchive {
  /** `text` is the JSON of a Workflow with its tasks. Resolves when it is durable. */
  putText(id: ExecutionId, text: string, nameOwner: NameOwner | undefined): Promise<void>;
  /** JSON of a Workflow; undefined when it is not in the archive. */
  text(id: string): Promise<string | undefined>;
  workflow(id: string): Promise<Archived | undefined>;
  /** As a search looks at it. */
  summary(id: ExecutionId): Promise<ExecutionSummary | undefined>;
  remove(id: string): Promise<void>;
}

export function withoutTasks(workflow: JsonMap): string {
  return toJsonText({ ...workflow, tasks: [] } as Json);
}
