// The document that expressions read (semantics 3.4 to 3.6), one field at a time: the caller never
// builds a document of all tasks, and payloads that no expression names are never parsed.
import type { PathRoot } from '@downbeat/json-path';
import type { Json, JsonMap } from '../../model/json.js';
import type { ValueLimits } from '../../model/value-limits.js';

export interface ExpressionDocument {
  /**
   * A field of `workflow` (`workflowFields`); undefined when it has no value or is none of them.
   */
  workflow(field: string): Json | undefined;
  /**
   * The newest record behind a reference name without `__N` suffix; undefined when it has none yet.
   */
  task(plainRef: string): TaskView | undefined;
  /** Value of `${NAME}`; undefined when unknown or not to be read. */
  environment(name: string): string | undefined;
  /** Value of `${workflow.env.NAME}`; undefined when unknown. Throws AccessRefusal. */
  environmentVariable(name: string): string | undefined;
  /** Value of `${CPEWF_TASK_ID}`; absent: that expression stays as it is (semantics 3.5). */
  readonly taskId?: string;
  /**
   * Told how many values a path has visited. Throws VisitsError when all paths of the evaluation
   * have visited too many.
   */
  visited?(values: number): void;
  /** Characters of JSON text that one evaluation may give; absent: no bound. */
  readonly charsMax?: number;
  /** Of what one evaluation may give; absent: those of a server without settings. */
  readonly valueLimits?: ValueLimits;
  /** How maps and lists look inside a longer text: JSON unless it says `java` (semantics 3.3). */
  readonly objectsInText?: 'json' | 'java';
}

export interface TaskView {
  /**
   * A field of the task record (`taskFields`); undefined when it has no value or is none of them.
   */
  field(name: string): Json | undefined;
  /**
   * One member of a field that is a map, where that is cheaper than the whole field; undefined:
   * read the field.
   */
  member?(field: string, key: string): Json | undefined;
}

/** Fields of `workflow` an expression can read. */
const workflowFields = [
  'input', 'output', 'status', 'workflowId', 'parentWorkflowId', 'parentWorkflowTaskId',
  'workflowType', 'version', 'correlationId', 'reasonForIncompletion', 'schemaVersion', 'variables',
  'createTime', 'idempotencyKey', 'taskToDomain',
] as const; // prettier-ignore

/** Fields of a task record an expression can read. */
const taskFields = [
  'input', 'output', 'taskType', 'status', 'referenceTaskName', 'retryCount', 'correlationId',
  'pollCount', 'taskDefName', 'scheduledTime', 'startTime', 'endTime', 'workflowInstanceId',
  'taskId', 'reasonForIncompletion', 'callbackAfterSeconds', 'workerId', 'iteration',
] as const; // prettier-ignore

/**
 * The value of `$` in a path, read field by field, so that only the fields that the path names are
 * read.
 */
export function pathRootOf(document: ExpressionDocument): PathRoot {
  return {
    begin: ([first, second]) => {
      if (first?.kind !== 'key') return { value: undefined, next: 0 };
      if (second?.kind !== 'key') return { value: readAllFields(document, first.key), next: 1 };
      return { value: readField(document, first.key, second.key), next: 2 };
    },
  };
}

/** One field of `workflow` or of a task; undefined when there is no such thing. */
function readField(document: ExpressionDocument, head: string, field: string): Json | undefined {
  return head === 'workflow' ? document.workflow(field) : document.task(head)?.field(field);
}

/**
 * All fields behind `head` as a map, for an expression that names no field; undefined for an
 * unknown reference.
 */
function readAllFields(document: ExpressionDocument, head: string): JsonMap | undefined {
  const all: JsonMap = {};
  if (head === 'workflow') {
    for (const field of workflowFields) all[field] = document.workflow(field) ?? null;
    return all;
  }
  const task = document.task(head);
  if (task === undefined) return undefined;
  for (const field of taskFields) all[field] = task.field(field) ?? null;
  return all;
}
