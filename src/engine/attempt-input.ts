// Input of a new attempt (semantics 2.7.1): the parameters evaluated now, over the input before.
import type { Task } from '../model/execution.js';
import { type JsonMap, setOwn } from '../model/json.js';
import { Payload } from '../model/payload.js';
import { documentOf } from './execution-document.js';
import { evaluateInput } from './expression/task-input.js';
import { nextTaskId } from './records.js';
import { checkSecrets } from './secret-rules.js';
import type { Transition } from './transition.js';

/**
 * Parameters that evaluate to null keep the value that the attempt before had. What has come since
 * names no secret either. Throws ExpressionRefusal.
 */
export function evaluatedAttemptInput(t: Transition, task: Task): Payload {
  const node = t.open.nodes.of(task);
  const def = task.config.taskDefinition;
  if (node === undefined || (node.input.kind === 'static' && def === undefined)) return task.input;
  const evaluated = evaluateInput(def?.inputTemplate, node.input, documentOf(t, nextTaskId(t)));
  const input: JsonMap = { ...task.input.value };
  for (const [key, value] of Object.entries(evaluated)) {
    if (value !== null || !Object.hasOwn(input, key)) setOwn(input, key, value);
  }
  return checkSecrets(t, task, Payload.of(input));
}
