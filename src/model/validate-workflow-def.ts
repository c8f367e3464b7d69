// Registration rules of workflow definitions (contract-core 6.1, 6.4, 6.5, semantics 0). They hold
// for definitions that are registered or sent along with a start; all violations of a definition
// are reported at once.
import { atOnce, eachInSteps, type Steps } from '../std/slices.js';
import { illFormedMessage, isWellFormed } from '../std/well-formed.js';
import type { Violation } from './errors.js';
import { parseStateSink } from './event-sink.js';
import { checkExpressions, environmentNames } from './expression-syntax.js';
import type { Json } from './json.js';
import { retentionFault } from './retention.js';
import { forEachTask, nestedLists } from './nested-tasks.js';
import { checkOwnerEmail, type NamingRules } from './validate-task-def.js';
import { Violations } from './validation.js';
import { stateHooks, type WorkflowDef, type WorkflowTask } from './workflow-def.js';

export interface WorkflowRules extends NamingRules {
  /** Whether names must consist of the characters of contract-core 6.1; off by default. */
  readonly namesChecked: boolean;
  /**
   * Environment variables that expressions may read by name (setting `environmentNames`, semantics
   * 3.5).
   */
  readonly environmentNames: ReadonlySet<string>;
  /** Gives the rules of its type that a configuration violates; what is inside it stays aside. */
  readonly checkConfiguration: (task: WorkflowTask) => readonly string[];
}

/** Expressions read `workflow.*`, so a task of this name would hide them (semantics 3.4). */
const reservedReference = 'workflow';

/** All violated rules of one definition; `path` such as `registerWorkflowDef.arg0`. */
export function validateWorkflowDef(
  def: WorkflowDef,
  path: string,
  rules: WorkflowRules,
): Violation[] {
  return atOnce(validatingWorkflowDef(def, path, rules));
}

/** As `validateWorkflowDef`, in steps: a definition may have thousands of tasks. */
export function* validatingWorkflowDef(
  def: WorkflowDef,
  path: string,
  rules: WorkflowRules,
): Steps<Violation[]> {
  const violations = new Violations();
  checkHeader(def, path, rules, violations);
  yield* eachInSteps(def.tasks, (task, index) =>
    checkTask(task, { path: `${path}.tasks[${index}]`, inLoop: false }, rules, violations),
  );
  const names = new Set([
    reservedReference,
    ...environmentNames,
    ...rules.environmentNames,
    ...checkReferences(def, path, violations),
  ]);
  yield* eachInSteps(def.tasks, (task) => checkInput(task, names, path, violations));
  return violations.list;
}

function checkHeader(
  def: WorkflowDef,
  path: string,
  rules: WorkflowRules,
  violations: Violations,
): void {
  violations.checkText(def, 'name', path, 'WorkflowDef name cannot be null or empty');
  if (def.name.includes(':')) {
    violations.addValue(`${path}.name`, "WorkflowDef name cannot contain ':'", def.name);
  } else if (def.name.includes('*')) {
    violations.addValue(`${path}.name`, "WorkflowDef name cannot contain '*'", def.name);
  } else if (def.name.includes('\u0000')) {
    // It divides names from keys (name-registration.ts).
    violations.addValue(`${path}.name`, 'WorkflowDef name cannot contain U+0000', def.name);
  } else if (!isWellFormed(def.name)) {
    violations.add(`${path}.name`, `WorkflowDef name ${illFormedMessage}`);
  } else if (rules.namesChecked && !/^[A-Za-z0-9_<>{}#\s-]*$/.test(def.name)) {
    violations.addValue(
      `${path}.name`,
      `Invalid name '${def.name}'. Allowed characters are alphanumeric, underscores, spaces, hyphens, and special characters like <, >, {, }, #`,
      def.name,
    );
  }
  if (def.version < 0) {
    violations.addValue(`${path}.version`, 'WorkflowDef version must be >= 0', def.version);
  }
  if (def.tasks.length === 0) violations.add(`${path}.tasks`, 'WorkflowTask list cannot be empty');
  if (def.schemaVersion !== 2) {
    const message = 'workflowDef schemaVersion: 2 is only supported';
    violations.addValue(`${path}.schemaVersion`, message, def.schemaVersion);
  }
  const fault = retentionFault(def.metadata);
  if (fault !== undefined) violations.add(`${path}.metadata`, fault);
  checkListenerSink(def, path, violations);
  checkOwnerEmail(def.ownerEmail, path, rules, violations);
}

/** Events would be dropped without a word. A listener that is off may name anything. */
function checkListenerSink(def: WorkflowDef, path: string, violations: Violations): void {
  const { workflowStatusListenerEnabled, workflowStatusListenerSink: sink = '' } = def;
  if (!workflowStatusListenerEnabled || sink === '') return;
  const target = parseStateSink(sink, { workflowName: def.name, ref: '' });
  if ('refused' in target) {
    violations.addValue(`${path}.workflowStatusListenerSink`, target.refused, sink);
  }
}

interface Place {
  readonly path: string;
  readonly inLoop: boolean;
}

/** Names everywhere; the rules of a type not inside loops, as the reference does. */
function checkTask(
  task: WorkflowTask,
  place: Place,
  rules: WorkflowRules,
  violations: Violations,
): void {
  const { path, inLoop } = place;
  const nameMessage = 'WorkflowTask name cannot be empty or null';
  const refMessage = 'WorkflowTask taskReferenceName name cannot be empty or null';
  violations.checkText(task, 'name', path, nameMessage);
  violations.checkText(task, 'taskReferenceName', path, refMessage);
  for (const field of ['name', 'type', 'taskReferenceName'] as const) {
    if (isWellFormed(task[field])) continue;
    violations.add(`${path}.${field}`, `WorkflowTask ${field} ${illFormedMessage}`);
  }
  if (task.startDelay < 0) {
    const message = 'must be greater than or equal to 0';
    violations.addValue(`${path}.startDelay`, message, task.startDelay);
  }
  checkStateHooks(task, path, violations);
  if (!inLoop) {
    for (const message of rules.checkConfiguration(task)) violations.add(path, message);
  } else if (task.type === 'DO_WHILE') {
    violations.add(
      path,
      `a DO_WHILE cannot stand inside another DO_WHILE, put the inner loop into a SUB_WORKFLOW, taskName: ${task.name}`,
    );
  }
  for (const { place: list, tasks } of nestedLists(task)) {
    const loop = inLoop || (task.type === 'DO_WHILE' && list === 'loopOver');
    tasks.forEach((inner, index) =>
      checkTask(inner, { path: `${path}.${list}[${index}]`, inLoop: loop }, rules, violations),
    );
  }
}

function checkStateHooks(task: WorkflowTask, path: string, violations: Violations): void {
  for (const [hooks, events] of Object.entries(task.onStateChange)) {
    if (events.some(({ type }) => type === undefined || type.trim() === '')) {
      violations.add(`${path}.onStateChange`, `the type of each event of ${hooks} is required`);
    }
    if (hooks.split(',').every((hook) => stateHooks.includes(hook.trim() as never))) continue;
    const message = `must name states of ${stateHooks.join(', ')}`;
    violations.addValue(`${path}.onStateChange`, message, hooks);
  }
}

/**
 * The suffix of a member of a loop after its name (semantics 4.9.1). The rule there forbids two
 * underscores anywhere; the builders of the JavaScript SDK make names such as `__fork_1`, which
 * cannot be mistaken for one.
 */
const iterationSuffix = /__\d+$/;

/** All reference names of the definition (contract-core 6.5, semantics 0.2, 3.4). */
function checkReferences(def: WorkflowDef, path: string, violations: Violations): Set<string> {
  const refs = new Set<string>();
  const reported = new Set<string>();
  const report = (ref: string, message: string): void => {
    if (reported.has(ref)) return;
    reported.add(ref);
    violations.add(path, message);
  };
  forEachTask(def.tasks, ({ taskReferenceName: ref }) => {
    if (ref === '') return;
    if (refs.has(ref)) {
      report(
        ref,
        `taskReferenceName: ${ref} should be unique across tasks for a given workflowDefinition: ${def.name}`,
      );
    } else if (ref === reservedReference) {
      report(ref, `taskReferenceName: ${ref} is reserved`);
    } else if (iterationSuffix.test(ref)) {
      report(
        ref,
        `taskReferenceName: ${ref} must not end with two underscores and a number, as members of loops do`,
      );
    }
    refs.add(ref);
  });
  return refs;
}

/** Expressions of a top-level task's input (contract-core 6.5). */
function checkInput(
  task: WorkflowTask,
  names: ReadonlySet<string>,
  path: string,
  violations: Violations,
): void {
  const visit = (key: string, value: Json): void => {
    if (typeof value === 'string') {
      checkText(task, key, value, names, (message) => violations.add(path, message));
    } else if (Array.isArray(value)) {
      for (const item of value) visit(key, item);
    } else if (value !== null && typeof value === 'object') {
      for (const inner of Object.keys(value)) visit(inner, value[inner] as Json);
    }
  };
  for (const key of Object.keys(task.inputParameters)) {
    visit(key, task.inputParameters[key] as Json);
  }
}

function checkText(
  task: WorkflowTask,
  key: string,
  text: string,
  names: ReadonlySet<string>,
  add: (message: string) => void,
): void {
  if (!text.includes('${')) return;
  for (const { path, wellFormed, head } of checkExpressions(text)) {
    if (!wellFormed) {
      add(`key: ${key} input parameter value: ${path} is not valid`);
    } else if (head !== undefined && !names.has(head)) {
      add(
        `taskReferenceName: ${head} for given task: ${task.name} input value: ${key} of input parameter: ${text} is not defined in workflow definition.`,
      );
    }
  }
}
