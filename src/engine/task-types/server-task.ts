// Tasks that the server runs itself because they do I/O: SCHEDULED, run by output, answered by
// `system-task-result`. Which types these are, and what is special about the configuration and
// input of each, the system-task folder declares (`ServerTaskType`); a record of one carries a mark
// in its notes, so that it stays one whatever the list says later.
//
// The run is derived from the record, so a repeated output is harmless: the record is read before
// anything is run.
import { reachesNothing } from '../reaches.js';
import type { Task } from '../../model/execution.js';
import { notesOf, outsideNote, serverRunNotes } from '../notes.js';
import { documentOf } from '../execution-document.js';
import { evaluateTemplate } from '../expression/template.js';
import { inputWithTemplate, plainInput } from '../mapping.js';
import { createTask, nextTaskId, setNotes } from '../records.js';
import type { Transition } from '../transition.js';
import { reason, shown, untilTimeout } from '../wait-reason.js';
import type { InputSource, ServerTaskType } from '../server-task-type.js';
import type { Site, TaskType } from './contract.js';
import { outsideType } from './constructors.js';
import { delayRun } from './delayed-start.js';

export const serverTask: TaskType = outsideType({
  names: [],
  reaches: reachesNothing,
  carriedOutBy: 'server',
  inputOf: (t, site) => declaredOf(t, site).input(inputSource(t, site), site.config),
  map(t, site) {
    const { config } = site;
    const declared = declaredOf(t, site);
    const def = declared.hasLimits ? config.taskDefinition : undefined;
    const task = createTask(t, {
      ref: site.ref,
      config,
      taskType: typeOf(site),
      status: 'SCHEDULED',
      iteration: site.iteration,
      input: declared.input(inputSource(t, site), config),
      startDelaySeconds: config.startDelay,
      callbackAfterSeconds: config.startDelay,
      responseTimeoutSeconds: def?.responseTimeoutSeconds ?? 0,
      rateLimitPerFrequency: def?.rateLimitPerFrequency ?? 0,
      rateLimitFrequencyInSeconds: def?.rateLimitFrequencyInSeconds ?? 0,
      notes: serverRunNotes,
    });
    begin(t, task);
  },
  begin,
  startDelayed: start,
  waitsForOutside: () => true,
  whyWaits(open, task) {
    if (notesOf(task)[outsideNote] === true) {
      return reason(open, task, 'external', {
        reason: `${shown(task)} (${task.taskType}) has been sent off and waits to be completed from outside.`,
        moves: 'an update of the task',
        ...untilTimeout(open, task),
        data: {},
      });
    }
    return reason(open, task, 'server-run', {
      reason: `${shown(task)} (${task.taskType}) is being carried out by the server.`,
      moves: 'its result',
      ...untilTimeout(open, task),
      data: { pollCount: task.pollCount },
    });
  },
});

function typeOf({ config }: Site): string {
  return config.type === 'DYNAMIC' ? config.name : config.type;
}

function declaredOf(t: Transition, site: Site): ServerTaskType {
  return t.context.serverTaskTypes.get(typeOf(site)) as ServerTaskType;
}

function inputSource(t: Transition, site: Site): InputSource {
  return {
    parameters: () => plainInput(t, site, true),
    withTemplate: () => inputWithTemplate(t, site),
    evaluate: (name, value) =>
      evaluateTemplate(
        site.node.template(name, () => value),
        documentOf(t, nextTaskId(t)),
      ),
  };
}

function begin(t: Transition, task: Task): void {
  if (!delayRun(t, task)) t.emit({ kind: 'run-system-task', task });
}

function start(t: Transition, task: Task): void {
  setNotes(t, task, { runAt: undefined });
  t.emit({ kind: 'run-system-task', task });
}
