// The text of a task as a worker gets it: complete, with secrets in place of their names
// (contract-core 7.2, semantics 3.7).
import type { Clock } from '../std/clock.js';
import type { Task } from '../model/execution.js';
import { toTaskJson } from '../model/task-json.js';
import { passedOn } from '../model/task-trace.js';
import { inputOf, outputOf } from '../engine/derived-payloads.js';
import type { OpenExecution } from '../engine/open-execution.js';
import type { TaskText } from '../queue/task-queues.js';

/**
 * Values that workers get beside the stored ones: those that the starter of the execution may read.
 */
export interface HandedOutValues {
  /** JSON text of a task with secrets in place of their names. */
  inTaskJson(taskJson: string, startedBy: string | undefined): string;
  /** Values of the names in `runtimeMetadata` of a task's definition (semantics 3.7.5). */
  attached(
    names: readonly string[],
    startedBy: string | undefined,
  ): Readonly<Record<string, string>>;
}

export class TaskTexts {
  constructor(
    private readonly clock: Clock,
    /** undefined: names of secrets stay as they are. */
    private readonly values: HandedOutValues | undefined,
  ) {}

  of(open: OpenExecution, task: Task): TaskText {
    const { values } = this;
    const { createdBy } = open.execution.attributes;
    const input = inputOf(open, task);
    const names = task.config.taskDefinition?.runtimeMetadata ?? [];
    const attached = names.length === 0 ? undefined : values?.attached(names, createdBy);
    const now = this.clock.now();
    const { trace } = open.execution.attributes;
    const text = toTaskJson(open.execution, task, input, outputOf(open, task), now, {
      runtimeMetadata: attached,
      trace: trace === undefined ? undefined : passedOn(trace, task),
    });
    return values !== undefined && text.includes('${workflow.secrets.')
      ? values.inTaskJson(text, createdBy)
      : text;
  }
}
