// The one list of task types, what all tasks have in common, and the fields of a definition.
import { insideTypes } from './inside-types';
import { outsideTypes } from './outside-types';
import { field, own, seconds, type TaskField, type TaskTypeKind } from './task-type';

/** The fields that every task can have beside its own. */
export const commonFields: readonly TaskField[] = [
  own.flag('Goes on when it fails', 'optional'),
  own.flag('Others go on when it fails', 'permissive'),
  own.flag('Ends by a later report', 'asyncComplete'),
  own.number('Retries', 'retryCount', { hint: 'In place of those of its definition' }),
  own.number('Starts after', 'startDelay', seconds),
  own.line('Cached by', 'cacheConfig.key', { hint: 'Such as ${workflow.input.id}' }),
  own.number('Cached for', 'cacheConfig.ttlInSecond', seconds),
  own.text('Description', 'description'),
];

/** Of the definition itself. */
export const definitionFields: readonly TaskField[] = [
  own.line('Name', 'name'),
  own.number('Version', 'version'),
  own.text('Description', 'description'),
  own.line('Owner', 'ownerEmail', { hint: 'A mail address' }),
  own.texts('Parameters', 'inputParameters', { hint: 'What a start is given, with commas' }),
  field('map')('Results', 'outputParameters'),
  own.number('Timeout', 'timeoutSeconds', { hint: 'Seconds; 0: none' }),
  own.choice('After the timeout', 'timeoutPolicy', { options: ['TIME_OUT_WF', 'ALERT_ONLY'] }),
  own.line('Failure workflow', 'failureWorkflow'),
  own.flag('Can be restarted', 'restartable'),
];

export const taskTypes: readonly TaskTypeKind[] = [...insideTypes, ...outsideTypes];

const byType = new Map(taskTypes.map((each) => [each.type, each]));

/** A type that is not declared is a worker's. */
export function taskTypeKind(type: string): TaskTypeKind {
  return byType.get(type) ?? (byType.get('SIMPLE') as TaskTypeKind);
}
