// Tasks that the server runs itself because they do I/O (HTTP, EVENT, GET_WORKFLOW, UPDATE_TASK,
// TERMINATE_WORKFLOW, and whatever else the system-task folder carries out): SCHEDULED, run by
// output, answered by `system-task-result`. Derived from the record, so a repeated output is
// harmless to whoever looks at the record first.
import type { Task } from '../../model/execution.js';
import type { JsonMap } from '../../model/json.js';
import { Payload } from '../../model/payload.js';
import { documentOf } from '../execution-document.js';
import { evaluateTemplate } from '../expression/template.js';
import { inputWithTemplate, plainInput } from '../mapping.js';
import { createTask, nextTaskId, setNotes } from '../records.js';
import { notesOf, serverTaskTypes } from '../task-kinds.js';
import type { Transition } from '../transition.js';
import type { Site, TaskType } from './contract.js';
import { delayRun } from './delayed-start.js';

export const serverTask: TaskType = {
  types: [...serverTaskTypes],
  map(t, site) {
    const { config } = site;
    const taskType = config.type === 'DYNAMIC' ? config.name : config.type;
    // EVENT has no limits of its own (observed).
    const def = taskType === 'EVENT' ? undefined : config.taskDefinition;
    const task = createTask(t, {
      ref: site.ref,
      config,
      taskType,
      status: 'SCHEDULED',
      iteration: site.iteration,
      input: inputOfType(t, site, taskType),
      startDelaySeconds: config.startDelay,
      callbackAfterSeconds: config.startDelay,
      responseTimeoutSeconds: def?.responseTimeoutSeconds ?? 0,
      rateLimitPerFrequency: def?.rateLimitPerFrequency ?? 0,
      rateLimitFrequencyInSeconds: def?.rateLimitFrequencyInSeconds ?? 0,
      ...(serverTaskTypes.has(taskType) ? {} : { notes: { server: true } }),
    });
    begin(t, task);
  },
  begin,
  start,
};

function begin(t: Transition, task: Task): void {
  if (!delayRun(t, task)) t.emit({ kind: 'run-system-task', task });
}

function start(t: Transition, task: Task): void {
  if (notesOf(task)['runAt'] !== undefined) setNotes(t, task, { runAt: undefined });
  t.emit({ kind: 'run-system-task', task });
}

function inputOfType(t: Transition, site: Site, taskType: string): Payload {
  const { config } = site;
  if (taskType === 'EVENT') {
    const sink = evaluateTemplate(
      site.node.template('sink', () => config.sink ?? null),
      documentOf(t, nextTaskId(t)),
    );
    const input: JsonMap = { ...plainInput(t, site, true).value };
    return Payload.of({ ...input, sink, asyncComplete: config.asyncComplete });
  }
  const input = inputWithTemplate(t, site);
  if (taskType !== 'HTTP') return input;
  return Payload.of({ ...input.value, asyncComplete: config.asyncComplete });
}
