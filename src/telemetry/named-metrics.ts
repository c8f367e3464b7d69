// Metrics by workflow and by task type, out of what is counted for the minutes (event-counters.ts):
// nothing of it stands on the path of a task.
import { BoundedNames } from './bounded-names.js';
import { queueEvents, workflowEvents, type TakenCounts } from './event-counters.js';
import { joinLabels, type MetricKey } from './metric-names.js';
import type { Metrics } from './metrics.js';
import { middleOf } from './run-times.js';

export class NamedMetrics {
  readonly #workflows: BoundedNames;
  readonly #taskTypes: BoundedNames;

  /** `namesMax`: workflows, and task types, that are told apart. */
  constructor(
    private readonly metrics: Metrics,
    namesMax: number,
  ) {
    this.#workflows = new BoundedNames(namesMax);
    this.#taskTypes = new BoundedNames(namesMax);
  }

  add({ workflows, queues }: TakenCounts): void {
    for (const { name, counts, tookTimes } of workflows) {
      const shown = this.#workflows.of(name);
      this.#count('workflowEvents', shown, { events: workflowEvents, counts });
      this.#observe('workflowSeconds', shown, tookTimes);
    }
    for (const { name, counts, runTimes, waitTimes } of queues) {
      const shown = this.#taskTypes.of(name.taskType);
      this.#count('taskTypeEvents', shown, { events: queueEvents, counts });
      this.#observe('taskSeconds', shown, runTimes);
      this.#observe('queueWaitSeconds', shown, waitTimes);
    }
  }

  #count(
    key: MetricKey,
    name: string,
    { events, counts }: { events: readonly string[]; counts: readonly number[] },
  ): void {
    for (const [i, event] of events.entries()) {
      const count = counts[i] ?? 0;
      if (count > 0) this.metrics.count(key, joinLabels(name, event), count);
    }
  }

  /** `counts`: numbers by length of time (run-times.ts). */
  #observe(key: MetricKey, name: string, counts: readonly number[]): void {
    for (const [length, times] of counts.entries()) {
      if (times > 0) this.metrics.observeAs(key, name, middleOf(length) / 1e3, times);
    }
  }
}
