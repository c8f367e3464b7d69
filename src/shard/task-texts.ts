// The text of a task as a worker gets it: complete, with secrets in place of their names
// (contract-core 7.2, semantics 3.7).
import type { Clock } from '../std/clock.js';
import type { Task } from '../model/execution.js';
import { toTaskJson } from '../model/task-json.js';
import { inputOf, outputOf } from '../engine/derived-payloads.js';
import type { OpenExecution } from '../engine/open-execution.js';
import type { TaskText } from '../queue/task-queues.js';

/** JSON text of a task with secrets that the starter of the execution may read. */
export type ResolveSecrets = (taskJson: string, startedBy: string | undefined) => string;

export class TaskTexts {
  constructor(
    private readonly clock: Clock,
    /** undefined: names of secrets stay as they are. */
    private readonly resolveSecrets: ResolveSecrets | undefined,
  ) {}

  of(open: OpenExecution, task: Task): TaskText {
    const input = inputOf(open, task);
    const text = toTaskJson(open.execution, task, input, outputOf(open, task), this.clock.now());
    return this.resolveSecrets && text.includes('${workflow.secrets.')
      ? this.resolveSecrets(text, open.execution.attributes.createdBy)
      : text;
  }
}
