// The tasks of a template, put into another definition: names that are in use become others.
import { freeName } from '../graph/new-tasks';
import { refsIn, replaceTask, taskOf } from '../graph/task-edits';
import type { RawDefinition, RawList } from '../graph/task-lists';
import type { Template } from './templates';

/** `taken`: reference names of the definition that they go into. */
export function templateTasks({ workflows }: Template, taken: readonly string[]): RawList {
  let definition: RawDefinition = workflows[0];
  const used = [...taken];
  for (const ref of refsIn(definition.tasks)) {
    const free = used.includes(ref) ? freeName(ref, used) : ref;
    const task = taskOf(definition, ref);
    if (free !== ref && task !== undefined) {
      definition = replaceTask(definition, ref, { ...task, taskReferenceName: free });
    }
    used.push(free);
  }
  return definition.tasks;
}

/** The definition with the parameters of a template that it does not have. */
export function withParameters(definition: RawDefinition, { workflows }: Template): RawDefinition {
  const { inputParameters } = definition;
  const own = Array.isArray(inputParameters) ? (inputParameters as unknown[]) : [];
  const more = (workflows[0].inputParameters ?? []).filter((name) => !own.includes(name));
  return more.length === 0 ? definition : { ...definition, inputParameters: [...own, ...more] };
}
