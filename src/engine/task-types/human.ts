// HUMAN (semantics 4.15, contract-admin 10): in progress until a person completes it, or somebody
// reports, completes it by reference or signals. The people that may claim it change with time.
import type { Task } from '../../model/execution.js';
import {
  humanDefinitionTrouble,
  registeredTrouble,
} from '../../model/human/check-human-definition.js';
import { escalate } from '../../model/human/human-process.js';
import {
  definitionKey,
  humanDefinitionOf,
  processKey,
} from '../../model/human/human-definition.js';
import { processContextOf } from '../../model/human/human-entry.js';
import { Payload } from '../../model/payload.js';
import {
  applyMove,
  beginHumanTask,
  humanTaskClosed,
  moveBy,
  processOf,
  tellIndex,
} from '../human-tasks.js';
import { plainInput } from '../mapping.js';
import { readersOfForm } from '../readers.js';
import { endTask } from '../records.js';
import type { Transition } from '../transition.js';
import { reason, shown, untilTimeout } from '../wait-reason.js';
import { taskTypeAndName } from '../../model/task-type-and-name.js';
import type { TaskType } from './contract.js';
import { timedType } from './constructors.js';
import { beginRunning, createRunning } from './inline-run.js';

export const humanTask: TaskType = timedType({
  names: ['HUMAN'],
  reaches: [
    { right: 'EXECUTE', target: 'WORKFLOW_DEF', named: '`taskTriggers`' },
    { right: 'READ', target: 'USER_FORM_TEMPLATE', named: '`userFormTemplate`' },
  ],
  check(config) {
    const trouble = registeredTrouble(config.inputParameters);
    if (trouble === undefined) return [];
    return [`inputParameters.${trouble} for ${taskTypeAndName(config)}`];
  },
  map(t, site) {
    beginChecked(t, createRunning(t, site, plainInput(t, site, true)));
  },
  begin(t, task) {
    beginRunning(t, task);
    beginChecked(t, task);
  },
  closed: humanTaskClosed,
  /** When the limit of the assignee is over. */
  timerAt: (task) => processOf(task)?.escalateAt ?? 0,
  timerFired(t, task) {
    const process = processOf(task);
    if (process !== undefined) applyMove(t, task, escalate(process, moveBy(t, task, 'system')));
  },
  progressReported: tellIndex,
  /** A task with a definition shows what happened to it in its input. */
  derivedInput(task) {
    const process = processOf(task);
    const input = task.input.value;
    if (process === undefined || input[definitionKey] === undefined) return task.input;
    return Payload.of({ ...input, [processKey]: processContextOf(task.status, process) });
  },
  hasResponseTimeout: true,
  takesSignals: true,
  waitsForOutside: () => true,
  whyWaits(open, task) {
    const process = processOf(task);
    const holder = process?.claimant ?? process?.assignee;
    return reason(open, task, 'person', {
      reason:
        holder === undefined
          ? `${shown(task)} waits for a person.`
          : `${shown(task)} waits for ${holder.user}.`,
      moves: 'completing the human task',
      ...untilTimeout(open, task),
      data: {},
    });
  },
});

/** Why the form that the task names may not be read for its execution; undefined: it may. */
function formRefusal({ context, execution }: Transition, task: Task): string | undefined {
  const form = humanDefinitionOf(task.input.value).userFormTemplate;
  if (form === undefined || context.forms === undefined) return undefined;
  return context.forms.refusal(form.name, readersOfForm(execution, form.name));
}

/** Begins once the values of the definition's expressions are known, and checks them. */
function beginChecked(t: Transition, task: Task): void {
  const reasonText = humanDefinitionTrouble(task.input.value) ?? formRefusal(t, task);
  if (reasonText === undefined) beginHumanTask(t, task);
  else endTask(t, task, { status: 'FAILED_WITH_TERMINAL_ERROR', reason: reasonText });
}
