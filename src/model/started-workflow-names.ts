// The names of workflows that stand in a definition as something that it starts: sub-workflows,
// also those of a dynamic fork, START_WORKFLOW tasks, triggers of HUMAN tasks and the failure
// workflow (semantics 2.9, 4.7, 4.10, 4.11). Names that are computed while it runs are not among
// them.
import { definitionKey } from './human/human-definition.js';
import { isMap, type Json } from './json.js';
import { forEachTask } from './nested-tasks.js';
import type { WorkflowDef, WorkflowTask } from './workflow-def.js';

export interface StartedNames {
  /** Started as they are registered. */
  readonly registered: ReadonlySet<string>;
  /** Names of definitions that stand in the definition as well. */
  readonly inline: ReadonlySet<string>;
}

interface Found {
  readonly registered: Set<string>;
  readonly inline: Set<string>;
}

const known = new WeakMap<WorkflowDef, StartedNames>();

/** Worked out once for each definition object. */
export function startedWorkflowNames(def: WorkflowDef): StartedNames {
  let names = known.get(def);
  if (names === undefined) {
    const found = { registered: new Set<string>(), inline: new Set<string>() };
    add(found.registered, def.failureWorkflow);
    forEachTask(def.tasks, (task) => addStarted(found, task));
    known.set(def, (names = found));
  }
  return names;
}

function addStarted(found: Found, { type, subWorkflowParam, inputParameters }: WorkflowTask): void {
  if (type === 'START_WORKFLOW') addRequest(found, inputParameters['startWorkflow']);
  else if (type === 'FORK_JOIN_DYNAMIC') add(found.registered, inputParameters['forkTaskWorkflow']);
  else if (type === 'HUMAN') addTriggers(found, inputParameters[definitionKey]);
  else if (type === 'SUB_WORKFLOW') {
    add(found.registered, subWorkflowParam?.name);
    const inline = subWorkflowParam?.workflowDefinition;
    if (typeof inline === 'object') add(found.inline, inline.name);
  }
}

/** A start request inside the definition; its own definition counts by its name. */
function addRequest(found: Found, request: Json | undefined): void {
  if (!isMap(request)) return;
  const { name, workflowDef } = request;
  if (isMap(workflowDef)) add(found.inline, workflowDef['name']);
  else add(found.registered, name);
}

function addTriggers(found: Found, definition: Json | undefined): void {
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
