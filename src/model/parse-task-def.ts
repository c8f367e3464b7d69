// Parsing of task definitions from outside input (contract-core 5.1).
import { markAbsentText } from './absent-texts.js';
import { readFields } from './record.js';
import { RecordReader, parseList } from './record-reader.js';
import { checkShape } from './shape-limits.js';
import { taskDefFields, type TaskDef } from './task-def.js';

/**
 * A task definition with all defaults filled in. A missing name is an empty one, so that validation
 * can report it beside the others. Throws AppError 'bad-request' that names `path` and the field
 * that cannot be read.
 */
export function parseTaskDef(input: unknown, path: string): TaskDef {
  checkShape(input, path);
  return readTaskDef(input, path);
}

/** Body of POST /taskdefs. Throws AppError 'bad-request'. */
export function parseTaskDefs(input: unknown, path: string): TaskDef[] {
  checkShape(input, path);
  return parseList(input, path, readTaskDef);
}

/** As `parseTaskDef`, for input whose shape has been checked. */
export function readTaskDef(input: unknown, path: string): TaskDef {
  const reader = new RecordReader(input, path);
  const def = readFields(reader, taskDefFields);
  if (reader.raw('name') === undefined) markAbsentText(def, 'name');
  return def;
}

/** The definition of a worker task that is not registered (semantics 0.4.2). */
export function adHocTaskDef(name: string, isWorkerTask: boolean): TaskDef {
  const def = readTaskDef({ name }, 'taskDefinition');
  return isWorkerTask ? def : { ...def, retryCount: 0, responseTimeoutSeconds: 0 };
}
