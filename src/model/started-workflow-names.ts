// The names of workflows that stand in a definition as something that it starts: sub-workflows,
// also those of a dynamic fork, START_WORKFLOW tasks, triggers of HUMAN tasks and the failure
// workflow (semantics 2.9, 4.7, 4.10, 4.11). Names that are computed while it runs are not among
// them.
import { definitionKey } from './human/human-definition.js';
import { isMap, type Json } from './json.js';
import { forEachTask } from './nested-tasks.js';
import type { WorkflowDef, WorkflowTask } from './workflow-def.js';

const known = new WeakMap<WorkflowDef, ReadonlySet<string>>();

/** Worked out once for each definition object. */
export function startedWorkflowNames(def: WorkflowDef): ReadonlySet<string> {
  let names = known.get(def);
  if (names === undefined) {
    const found = new Set<string>();
    add(found, def.failureWorkflow);
    forEachTask(def.tasks, (task) => addStarted(found, task));
    known.set(def, (names = found));
  }
  return names;
}

function addStarted(
  found: Set<string>,
  { type, subWorkflowParam, inputParameters }: WorkflowTask,
): void {
  if (type === 'START_WORKFLOW') addRequest(found, inputParameters['startWorkflow']);
  else if (type === 'FORK_JOIN_DYNAMIC') add(found, inputParameters['forkTaskWorkflow']);
  else if (type === 'HUMAN') addTriggers(found, inputParameters[definitionKey]);
  else if (type === 'SUB_WORKFLOW') {
    add(found, subWorkflowParam?.name);
    const inline = subWorkflowParam?.workflowDefinition;
    if (typeof inline === 'object') add(found, inline.name);
  }
}

/** A start request inside the definition; its own definition counts by its name. */
function addRequest(found: Set<string>, request: Json | undefined): void {
  if (!isMap(request)) return;
  const { name, workflowDef } = request;
  add(found, isMap(workflowDef) ? workflowDef['name'] : name);
}

function addTriggers(found: Set<string>, definition: Json | undefined): void {
  const triggers = isMap(definition) ? definition['taskTriggers'] : undefined;
  if (!Array.isArray(triggers)) return;
  for (const trigger of triggers) {
    if (isMap(trigger)) addRequest(found, trigger['startWorkflowRequest']);
  }
}

/** An expression is no name (a failure workflow may begin one with `$` alone). */
function add(found: Set<string>, name: Json | undefined): void {
  if (typeof name === 'string' && name !== '' && !name.startsWith('$') && !name.includes('${'))
    found.add(name);
}
