// Branches of a dynamic fork from the evaluated input of its record (semantics 4.5): three forms,
// tried in order. Pure, so that the branches can be read again whenever they are needed: only the
// evaluated input and the task definitions found at fork time (in the record's notes) are stored.
import { AppError } from '../model/errors.js';
import type { Task } from '../model/execution.js';
import { asJson, isMap, type Json, type JsonMap, ownRecord, ownValue } from '../model/json.js';
import { numberFrom } from '../model/json-text.js';
import { fieldTaskTypes } from '../model/field-task-types.js';
import { mapTasks } from '../model/nested-tasks.js';
import { type OwnOfTask, parseAlikeTask, parseWorkflowTask } from '../model/parse-workflow-def.js';
import type { TaskDef } from '../model/task-def.js';
import type { WorkflowTask } from '../model/workflow-def.js';
import { toTextForm } from './expression/text-form.js';
import { notesOf } from './notes.js';

/** Registered task definitions at fork time, by name: the record's note `taskDefs`. */
export type ForkTaskDefs = { [name: string]: TaskDef };

/**
 * Branches as the input names them. Only the references are read at once; the configuration of a
 * branch is built when it is mapped, so that a fork of 10,000 is not one long step.
 */
export interface Branches {
  readonly kind: 'branches';
  readonly refs: readonly string[];
  /** The configuration as it stands in the input, before defaults. */
  readonly rawAt: (index: number) => JsonMap;
  /** Why the execution ends when a configuration turns out to be none. */
  readonly invalid: InvalidBranches;
  /** The name of all branches, whose references differ; undefined: each must be checked. */
  readonly commonName?: string;
  readonly alike?: AlikeBranches;
}

/** The execution ends with this reason, without a record. */
export interface InvalidBranches {
  readonly kind: 'invalid';
  readonly reason: string;
}

/** Branches of a FORK record. */
export function branchesOf(fork: Task): Branches | InvalidBranches {
  return readBranches(fork.config, fork.input.value, notesOf(fork)['prefix'] === true);
}

/** Configuration of one branch with its task definitions (`defs`); undefined when it is none. */
export function branchConfigAt(
  branches: Branches,
  index: number,
  defs: ForkTaskDefs,
): WorkflowTask | undefined {
  const { alike, rawAt } = branches;
  const raw = rawAt(index);
  return alike?.has(index) === true ? alike.config(raw, index, defs) : readConfig(raw, defs);
}

/** undefined when it is none. */
function readConfig(raw: JsonMap, defs: ForkTaskDefs): WorkflowTask | undefined {
  const config = parseBranch(() => parseWorkflowTask(raw, 'dynamicTask'));
  if (config === undefined) return undefined;
  for (const _ in defs) return embedTaskDefs(config, defs);
  return config;
}

/**
 * Branches whose configurations differ in reference and input alone. One is read; the others share
 * the rest of it. Reading each took 12 us and 1,300 bytes; sharing takes 0.5 us and 260 bytes.
 */
class AlikeBranches {
  #model: WorkflowTask | undefined;
  #defs: ForkTaskDefs | undefined;

  constructor(
    readonly has: (index: number) => boolean,
    private readonly ownAt: (index: number) => OwnOfTask,
  ) {}

  config(raw: JsonMap, index: number, defs: ForkTaskDefs): WorkflowTask | undefined {
    const model = this.#defs === defs ? this.#model : undefined;
    if (model !== undefined) {
      const own = this.ownAt(index);
      return parseBranch(() => parseAlikeTask(raw, 'dynamicTask', { model, own }));
    }
    return this.#read(raw, defs);
  }

  #read(raw: JsonMap, defs: ForkTaskDefs): WorkflowTask | undefined {
    this.#defs = defs;
    this.#model = readConfig(raw, defs);
    return this.#model;
  }
}

/** The note `taskDefs` of a FORK record. */
export function taskDefsOf(fork: Task): ForkTaskDefs {
  return ownRecord<ForkTaskDefs>(notesOf(fork)['taskDefs'] ?? {});
}

/** Configurations of all branches of a FORK record, in branch order. */
export function branchConfigsOf(fork: Task): WorkflowTask[] {
  const branches = branchesOf(fork);
  if (branches.kind === 'invalid') return [];
  const defs = taskDefsOf(fork);
  return branches.refs.flatMap((_ref, index) => branchConfigAt(branches, index, defs) ?? []);
}

/** The form of a configuration in JSON: its fields carry their wire names. */
export function toWireTask(config: WorkflowTask): JsonMap {
  return asJson(config);
}

/** Definitions for all configurations, nested ones included (semantics 4.5.6). */
export function findTaskDefs(
  branches: Branches,
  taskDef: (name: string) => TaskDef | undefined,
): ForkTaskDefs {
  const names = new Set<string>();
  if (branches.commonName !== undefined) names.add(branches.commonName);
  else branches.refs.forEach((_ref, index) => collectNames(branches.rawAt(index), names));
  const found: ForkTaskDefs = {};
  for (const name of names) {
    const def = taskDef(name);
    if (def !== undefined) found[name] = def;
  }
  return found;
}

/** Names of a configuration in JSON and of those inside it. */
function collectNames(value: Json | undefined, names: Set<string>): void {
  if (Array.isArray(value)) {
    for (const item of value) collectNames(item, names);
    return;
  }
  if (!isMap(value)) return;
  if (typeof value['name'] === 'string') names.add(value['name']);
  const { decisionCases, defaultCase, forkTasks, loopOver } = value;
  if (isMap(decisionCases)) collectNames(Object.values(decisionCases), names);
  if (defaultCase !== undefined) collectNames(defaultCase, names);
  if (forkTasks !== undefined) collectNames(forkTasks, names);
  if (loopOver !== undefined) collectNames(loopOver, names);
}

function embedTaskDefs(config: WorkflowTask, defs: ForkTaskDefs): WorkflowTask {
  const [embedded = config] = mapTasks([config], (task) => {
    const own = Object.hasOwn(defs, task.name) ? defs[task.name] : undefined;
    const def = task.taskDefinition ?? own;
    return def === undefined ? task : { ...task, taskDefinition: def };
  });
  return embedded;
}

export function readBranches(
  config: WorkflowTask,
  input: JsonMap,
  prefix: boolean,
): Branches | InvalidBranches {
  const branches = readForm(config, input, prefix);
  if (branches.kind === 'invalid' || branches.commonName !== undefined) return branches;
  const refs = new Set<string>();
  for (const ref of branches.refs) {
    if (ref === '') return branches.invalid;
    if (refs.has(ref)) return duplicateReference(ref);
    refs.add(ref);
  }
  return branches;
}

export function duplicateReference(ref: string): InvalidBranches {
  return {
    kind: 'invalid',
    reason: `No dynamic tasks could be created: duplicate task reference name ${ref}`,
  };
}

function readForm(
  config: WorkflowTask,
  input: JsonMap,
  prefix: boolean,
): Branches | InvalidBranches {
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
    textIn(input, 'forkTaskName') ?? (fieldTaskTypes.has(type) ? type : fork.taskReferenceName);
  const stem = prefix ? `_${fork.taskReferenceName}_${name}_` : `_${name}_`;
  const workflowName = textIn(input, 'forkTaskWorkflow');
  // Retries and the name that the record shows are those of the workflow's name (observed).
  const configName = workflowName ?? name;
  const inputAt = (index: number): JsonMap => {
    const element = elements[index] ?? null;
    return isMap(element) ? element : { input: element };
  };
  const ownAt = (index: number): OwnOfTask => ({
    taskReferenceName: stem + index,
    inputParameters: { ...inputAt(index), __index: index },
  });
  const rawAt = (index: number): JsonMap => {
    const element = elements[index];
    const settings = isMap(element) ? configFieldsOf(element) : {};
    const { taskReferenceName, inputParameters } = ownAt(index);
    const raw: JsonMap = {
      ...settings,
      name: configName,
      taskReferenceName,
      type: workflowName === undefined ? type : 'SUB_WORKFLOW',
      optional: fork.optional || settings['optional'] === true,
      inputParameters,
    };
    if (workflowName !== undefined)
      raw['subWorkflowParam'] = subWorkflowOf(workflowName, input, inputAt(index));
    return raw;
  };
  const refs = elements.map((_element, index) => stem + index);
  const invalid = invalidList('forkTaskInputs', elements);
  const alike = new AlikeBranches((index) => isPlain(elements[index] ?? null), ownAt);
  return { kind: 'branches', refs, rawAt, invalid, commonName: configName, alike };
}

/** Whether an element of form 1 brings nothing but input. */
function isPlain(element: Json): boolean {
  if (!isMap(element)) return true;
  if (isMap(element['taskToDomain'])) return false;
  return settableFields.every((field) => (element[field] ?? null) === null);
}

function subWorkflowOf(name: string, input: JsonMap, element: JsonMap): JsonMap {
  const version = numberFrom(input['forkTaskWorkflowVersion'] ?? 0);
  const { taskToDomain } = element;
  return {
    name,
    ...(Number.isInteger(version) && version > 0 ? { version } : {}),
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

function taskList(fork: WorkflowTask, input: JsonMap): Branches | InvalidBranches {
  const listParam = fork.dynamicForkTasksParam ?? '';
  const inputParam = fork.dynamicForkTasksInputParamName ?? '';
  const list = ownValue(input, listParam);
  if (!Array.isArray(list)) return invalidList(listParam, list);
  const inputs = ownValue(input, inputParam) ?? null;
  if (!isMap(inputs)) {
    return {
      kind: 'invalid',
      reason: `Input to the dynamically forked tasks is not a map -> expecting a map of K,V  but found ${toTextForm(inputs, 'java')}`,
    };
  }
  const odd = Object.keys(inputs).find((ref) => inputs[ref] !== null && !isMap(inputs[ref]));
  if (odd !== undefined) {
    const reason = `Tasks could not be dynamically forked due to invalid input: that of ${odd} is not a map`;
    return { kind: 'invalid', reason };
  }
  const rawAt = (index: number): JsonMap => {
    const element = list[index];
    if (!isMap(element)) return {};
    const own = ownValue(inputs, refOf(element, 'taskReferenceName'));
    const { name, type, inputParameters } = element;
    const named =
      name === undefined || name === null ? { ...element, name: type ?? null } : element;
    if (!isMap(own)) return named;
    return {
      ...named,
      inputParameters: { ...(isMap(inputParameters) ? inputParameters : {}), ...own },
    };
  };
  const refs = list.map((element) => refOf(element, 'taskReferenceName'));
  return { kind: 'branches', refs, rawAt, invalid: invalidList(listParam, list) };
}

/** Empty when there is none, which makes the list invalid. */
function refOf(element: Json, key: string): string {
  const ref = isMap(element) ? element[key] : undefined;
  return typeof ref === 'string' ? ref : '';
}

function invalidList(param: string, value: Json | readonly Json[] | undefined): InvalidBranches {
  return {
    kind: 'invalid',
    get reason() {
      const text = toTextForm((value ?? null) as Json, 'java');
      return `Input '${param}' is invalid. Cannot deserialize a list of Workflow Tasks from '${text}'`;
    },
  };
}

// Form 3: {dynamicTasks: [{taskName, referenceName, type, input}]}

function legacyList(fork: WorkflowTask, input: JsonMap): Branches | InvalidBranches {
  const param = fork.dynamicForkJoinTasksParam ?? '';
  const value = ownValue(input, param);
  const list = isMap(value) ? (value['dynamicTasks'] ?? []) : undefined;
  if (!Array.isArray(list)) {
    return {
      kind: 'invalid',
      reason: `Dynamic tasks could not be created. The value of ${fork.dynamicForkJoinTasksParam ?? 'null'} from task's input ${toTextForm(input, 'java')} has no dynamic tasks to be scheduled`,
    };
  }
  const rawAt = (index: number): JsonMap => {
    const element = list[index];
    if (!isMap(element)) return {};
    return {
      name: element['taskName'] ?? null,
      taskReferenceName: element['referenceName'] ?? null,
      type: element['type'] ?? 'SIMPLE',
      inputParameters: element['input'] ?? {},
    };
  };
  const refs = list.map((element) => refOf(element, 'referenceName'));
  return { kind: 'branches', refs, rawAt, invalid: invalidList(param, value) };
}

/** undefined when it is no task configuration. */
function parseBranch(parse: () => WorkflowTask): WorkflowTask | undefined {
  try {
    return parse();
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

function textIn(map: JsonMap, key: string): string | undefined {
  const value = map[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
