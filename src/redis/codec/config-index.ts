// Task configurations by their place in a definition. A task record of the store names its
// configuration by this number instead of carrying a copy; the order is that of the definition's
// text, so equal snapshots number alike.
import type { WorkflowDef, WorkflowTask } from '../../model/workflow-def.js';

export interface ConfigIndex {
  readonly list: readonly WorkflowTask[];
  readonly numbers: ReadonlyMap<WorkflowTask, number>;
}

const indexes = new WeakMap<WorkflowDef, ConfigIndex>();

/** All task configurations of `def`, nested ones included, each with its number. */
export function configIndexOf(def: WorkflowDef): ConfigIndex {
  const known = indexes.get(def);
  if (known) return known;
  const list: WorkflowTask[] = [];
  collect(def.tasks, list);
  const numbers = new Map<WorkflowTask, number>();
  list.forEach((config, number) => numbers.set(config, number));
  const index = { list, numbers };
  indexes.set(def, index);
  return index;
}

function collect(configs: readonly WorkflowTask[], list: WorkflowTask[]): void {
  const waiting: WorkflowTask[] = [...configs].reverse();
  for (let config = waiting.pop(); config !== undefined; config = waiting.pop()) {
    list.push(config);
    if (!mayNest(config)) continue;
    const nested = [
      ...Object.values(config.decisionCases).flat(),
      ...config.defaultCase,
      ...config.forkTasks.flat(),
      ...config.loopOver,
    ];
    for (let i = nested.length - 1; i >= 0; i--) waiting.push(nested[i] as WorkflowTask);
  }
}

function mayNest({ decisionCases, defaultCase, forkTasks, loopOver }: WorkflowTask): boolean {
  for (const _ in decisionCases) return true;
  return defaultCase.length > 0 || forkTasks.length > 0 || loopOver.length > 0;
}
