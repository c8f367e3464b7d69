// Branches of a dynamic fork from the evaluated input of its record (semantics 4.5): three forms, tried in order. Pure, so that the
// branches can be read again whenever they are needed: only the evaluated input and the task definitions found at fork time
// (in the record's notes) are stored.
import { AppError } from '../model/errors.js';
import type { Task } from '../model/execution.js';
import type { Json, JsonMap } from '../model/json.js';
import { forEachTask, mapTasks } from '../model/nested-tasks.js';
import { parseWorkflowTask } from '../model/parse-workflow-def.js';
import type { TaskDef } from '../model/task-def.js';
import type { WorkflowTask } from '../model/workflow-def.js';
import { toTextForm } from './expression/text-form.js';
import { memoOf, systemTaskTypes } from './task-kinds.js';

/** What the record keeps beside its input. */
export interface ForkNotes {
  /** Form 1: references carry the fork's own, because another dynamic fork came before. */
  prefix: boolean;
  /** Registered task definitions at fork time, by name. */
  taskDefs: { [name: string]: TaskDef };
}

export type Branches =
  | { readonly kind: 'branches'; readonly configs: WorkflowTask[] }
  /** The execution ends with this reason, without a record. */
  | { readonly kind: 'invalid'; readonly reason: string };

/** Configurations of the branches of a FORK record, in branch order. */
export function branchConfigsOf(fork: Task): WorkflowTask[] {
  const memo = memoOf(fork);
  const branches = readBranches(fork.config, fork.input.value, memo['prefix'] === true);
  if (branches.kind === 'invalid') return [];
  const defs = (memo['taskDefs'] ?? {}) as unknown as ForkNotes['taskDefs'];
  if (Object.keys(defs).length === 0) return branches.configs;
  return embedTaskDefs(branches.configs, (name) => defs[name]);
}

/** The form of a configuration in JSON: its fields carry their wire names. */
export function toWireTask(config: WorkflowTask): JsonMap {
  return config as unknown as JsonMap;
}

/** Definitions for all configurations, nested ones included, that do not bring their own (semantics 4.5.6). */
export function findTaskDefs(
  configs: readonly WorkflowTask[],
  taskDef: (name: string) => TaskDef | undefined,
): ForkNotes['taskDefs'] {
  const found: ForkNotes['taskDefs'] = {};
  forEachTask(configs, ({ name, taskDefinition }) => {
    if (taskDefinition !== undefined || Object.hasOwn(found, name)) return;
    const def = taskDef(name);
    if (def !== undefined) found[name] = def;
  });
  return found;
}

/** Gives each configuration, nested ones included, the definition of its name. */
export function embedTaskDefs(
  configs: WorkflowTask[],
  taskDef: (name: string) => TaskDef | undefined,
): WorkflowTask[] {
  return mapTasks(configs, (config) => {
    const def = config.taskDefinition ?? taskDef(config.name);
    return def === undefined ? config : { ...config, taskDefinition: def };
  });
}

export function readBranches(config: WorkflowTask, input: JsonMap, prefix: boolean): Branches {
  const branches = readForm(config, input, prefix);
  if (branches.kind === 'invalid') return branches;
  const refs = new Set<string>();
  for (const { taskReferenceName } of branches.configs) {
    if (refs.has(taskReferenceName)) return duplicateReference(taskReferenceName);
    refs.add(taskReferenceName);
  }
  return branches;
}

export function duplicateReference(ref: string): Branches {
  return {
    kind: 'invalid',
    reason: `No dynamic tasks could be created: duplicate task reference name ${ref}`,
  };
}

function readForm(config: WorkflowTask, input: JsonMap, prefix: boolean): Branches {
  const { forkTaskInputs } = input;
  if (Array.isArray(forkTaskInputs)) return sameTask(config, input, forkTaskInputs, prefix);
  if (config.dynamicForkTasksParam !== undefined) return taskList(config, input);
  return legacyList(config, input);
}

// Form 1: the same task for each element (4.5.2)

function sameTask(
  fork: WorkflowTask,
  input: JsonMap,
  elements: readonly Json[],
  prefix: boolean,
): Branches {
  const type = textIn(input, 'forkTaskType') ?? 'SIMPLE';
  const name =
    textIn(input, 'forkTaskName') ?? (systemTaskTypes.has(type) ? type : fork.taskReferenceName);
  const workflowName = textIn(input, 'forkTaskWorkflow');
  const configs: WorkflowTask[] = [];
  for (const [index, element] of elements.entries()) {
    const ref = prefix ? `_${fork.taskReferenceName}_${name}_${index}` : `_${name}_${index}`;
    const own = isMap(element) ? element : { input: element };
    const settings = isMap(element) ? configFieldsOf(element) : {};
    const raw: JsonMap = {
      ...settings,
      name,
      taskReferenceName: ref,
      type: workflowName === undefined ? type : 'SUB_WORKFLOW',
      optional: fork.optional || settings['optional'] === true,
      inputParameters: { ...own, __index: index },
    };
    if (workflowName !== undefined)
      raw['subWorkflowParam'] = subWorkflowOf(workflowName, input, own);
    const parsed = parseBranch(raw);
    if (parsed === undefined) return invalidList('forkTaskInputs', element);
    configs.push(parsed);
  }
  return { kind: 'branches', configs };
}

function subWorkflowOf(name: string, input: JsonMap, element: JsonMap): JsonMap {
  const version = Number(input['forkTaskWorkflowVersion'] ?? 0);
  const { taskToDomain } = element;
  return {
    name,
    version: Number.isInteger(version) && version > 0 ? version : 0,
    ...(isMap(taskToDomain) ? { taskToDomain } : {}),
  };
}

/** Fields of a task configuration that an element of form 1 may set. */
const settableFields = [
  'description', 'dynamicTaskNameParam', 'caseValueParam', 'caseExpression', 'scriptExpression', 'evaluatorType',
  'expression', 'sink', 'startDelay', 'optional', 'permissive', 'asyncComplete', 'retryCount', 'rateLimited',
  'onStateChange', 'cacheConfig', 'taskDefinition',
] as const; // prettier-ignore

function configFieldsOf(element: JsonMap): JsonMap {
  const fields: JsonMap = {};
  for (const field of settableFields) {
    const value = element[field];
    if (value !== undefined && value !== null) fields[field] = value;
  }
  return fields;
}

// Form 2: a list of configurations and a map of their inputs

function taskList(fork: WorkflowTask, input: JsonMap): Branches {
  const listParam = fork.dynamicForkTasksParam ?? '';
  const inputParam = fork.dynamicForkTasksInputParamName ?? '';
  const list = input[listParam];
  if (!Array.isArray(list)) return invalidList(listParam, list);
  const inputs = input[inputParam] ?? {};
  if (!isMap(inputs)) {
    return {
      kind: 'invalid',
      reason: `Input to the dynamically forked tasks is not a map -> expecting a map of K,V but found ${toTextForm(inputs, 'java')}`,
    };
  }
  const configs: WorkflowTask[] = [];
  for (const element of list) {
    const config = isMap(element) ? parseBranch(element) : undefined;
    if (config === undefined || config.taskReferenceName === '')
      return invalidList(listParam, list);
    const own = inputs[config.taskReferenceName];
    configs.push(
      isMap(own) ? { ...config, inputParameters: { ...config.inputParameters, ...own } } : config,
    );
  }
  return { kind: 'branches', configs };
}

function invalidList(param: string, value: Json | undefined): Branches {
  return {
    kind: 'invalid',
    reason: `Input '${param}' is invalid. Cannot deserialize a list of Workflow Tasks from '${toTextForm(value ?? null, 'java')}'`,
  };
}

// Form 3: {dynamicTasks: [{taskName, referenceName, type, input}]}

function legacyList(fork: WorkflowTask, input: JsonMap): Branches {
  const param = fork.dynamicForkJoinTasksParam ?? '';
  const value = input[param];
  const list = isMap(value) ? value['dynamicTasks'] : undefined;
  if (!Array.isArray(list)) {
    return {
      kind: 'invalid',
      reason: `Dynamic tasks could not be created. The value of ${param} from task's input ${toTextForm(input, 'java')} has no dynamic tasks to be scheduled`,
    };
  }
  const configs: WorkflowTask[] = [];
  for (const element of list) {
    if (!isMap(element)) return invalidList(param, value);
    const config = parseBranch({
      name: element['taskName'] ?? null,
      taskReferenceName: element['referenceName'] ?? null,
      type: element['type'] ?? 'SIMPLE',
      inputParameters: element['input'] ?? {},
    });
    if (config === undefined || config.taskReferenceName === '') return invalidList(param, value);
    configs.push(config);
  }
  return { kind: 'branches', configs };
}

/** undefined when it is no task configuration. */
function parseBranch(raw: JsonMap): WorkflowTask | undefined {
  try {
    return parseWorkflowTask(raw, 'dynamicTask');
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

function textIn(map: JsonMap, key: string): string | undefined {
  const value = map[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function isMap(value: Json | undefined): value is JsonMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
