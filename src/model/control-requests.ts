// Bodies of control operations (contract-core 10.1, 10.2, 10.6, 14.3, 14.4).
import { AppError } from './errors.js';
import type { TaskResult } from './execution.js';
import { anyMap, filledText, integer, text, told, type Field } from './field.js';
import type { JsonMap } from './json.js';
import { parseTaskResult } from './parse-task-result.js';
import { record, type Values } from './record.js';
import { RecordReader, isMap, present, refused } from './record-reader.js';
import * as schema from './schema.js';
import { validationFailed } from './validation.js';

type PayloadsByRef = { readonly [ref: string]: JsonMap };

const rerunFields = {
  reRunFromWorkflowId: told<string>(schema.text('Ignored: the id in the path counts')),
  reRunFromTaskId: text({
    about: 'Task to run again from; absent for the beginning',
    mayBeEmpty: true,
    check(id, path) {
      // Taken as absent, it would drop all tasks of an execution.
      if (id === '') throw refused(path, 'is empty: leave it out to run again from the beginning');
    },
  }),
  taskInput: anyMap({ about: 'Replaces the input of that task' }),
  workflowInput: anyMap({ about: 'Replaces the input of the execution' }),
  correlationId: text({ about: 'Replaces the correlation id' }),
};
export const rerunWorkflowRequest = record('RerunWorkflowRequest', rerunFields);
export type RerunWorkflowRequest = Values<typeof rerunFields>;

const editedInputs = payloadsByRef(
  'Inputs of new attempts, by reference name as the failed records show it; of a SUB_WORKFLOW the input of its child. Each replaces the whole input; values that were shown masked and come back so stay as they are',
);
export const retryWorkflowRequest = record('RetryWorkflowRequest', {
  taskInputs: {
    ...{ presence: 'optional', schema: editedInputs.schema },
    read(reader, name) {
      const inputs = editedInputs.read(reader, name) ?? {};
      return Object.keys(inputs).length > 0 ? inputs : undefined;
    },
  } satisfies Field<PayloadsByRef, 'optional'>,
  reason: filledText({
    about: 'Why, in the words of the caller; counts more than the query parameter',
  }),
});

const skipFields = {
  taskInput: anyMap({ about: 'Shown as the input of the skipped task' }),
  taskOutput: anyMap({ about: 'Shown as the output of the skipped task' }),
};
export const skipTaskRequest = record('SkipTaskRequest', skipFields);
export type SkipTaskRequest = Values<typeof skipFields>;

const upgradeFields = {
  name: {
    ...{ presence: 'required', schema: schema.text('Name of the definition') },
    read(reader, name) {
      const value = reader.text(name);
      if (value) return value;
      const violation = {
        path: reader.pathOf(name),
        message: 'Workflow name cannot be null or empty',
        ...(value === '' ? { invalidValue: '' } : {}),
      };
      throw validationFailed([violation]);
    },
  } satisfies Field<string, 'required'>,
  version: integer({ about: 'Version; absent for the latest' }),
  taskOutput: payloadsByRef('Outputs of tasks that count as done, by reference name'),
  workflowInput: anyMap({ about: 'Replaces the input of the execution' }),
};
/** Refuses a missing name with AppError 'validation'. */
export const upgradeWorkflowRequest = record('UpgradeWorkflowRequest', upgradeFields);
export type UpgradeWorkflowRequest = Values<typeof upgradeFields>;

function payloadsByRef(about: string): Field<PayloadsByRef, 'always'> {
  return {
    ...{ presence: 'always', schema: schema.mapOf(schema.anyObject, about) },
    read: (reader, name) =>
      reader.mapOf(name, (value, path) => {
        if (!isMap(value)) throw refused(path, 'must be an object');
        return value as JsonMap;
      }),
  };
}

export interface WorkflowStateUpdate {
  /** The task that `taskResult` is for. */
  task?: { taskReferenceName: string; taskResult: TaskResult };
  variables?: JsonMap;
}

/** Contract-core 14.4. Throws AppError 'bad-request', also when there is nothing to update. */
export function parseWorkflowStateUpdate(input: unknown, path: string): WorkflowStateUpdate {
  const reader = new RecordReader(input, path);
  const taskReferenceName = reader.text('taskReferenceName');
  const taskResult = reader.record('taskResult', parseTaskResult);
  const variables = reader.optionalMap('variables');
  if ((taskReferenceName === undefined) !== (taskResult === undefined)) {
    throw new AppError('bad-request', 'taskReferenceName and taskResult must be given together');
  }
  const task =
    taskReferenceName !== undefined && taskResult !== undefined
      ? { taskReferenceName, taskResult }
      : undefined;
  if (task === undefined && variables === undefined) {
    throw new AppError('bad-request', 'Either a task result or variables must be given');
  }
  return present({ task, variables });
}
