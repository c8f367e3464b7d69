// Registration rules of one task configuration, by its type (contract-core 6.4, semantics 0.5). The
// texts are those clients know.
import { isAbsentText } from './absent-texts.js';
import type { Json } from './json.js';
import type { TaskDef } from './task-def.js';
import type { Violations } from './validation.js';
import { parseWaitDuration, parseWaitUntil } from './wait-time.js';
import type { WorkflowTask } from './workflow-def.js';

/** Syntax check without running; the parser's message, undefined when the source parses. */
export type CheckSyntax = (language: 'javascript' | 'jq', source: string) => string | undefined;

/** What the rules of a type need to know besides the configuration. */
export interface TaskRules {
  readonly checkSyntax: CheckSyntax;
  /** The registered definition whose input template may hold a required key. */
  readonly taskDef: (name: string) => TaskDef | undefined;
}

interface Check {
  readonly task: WorkflowTask;
  readonly rules: TaskRules;
  readonly add: (message: string) => void;
}

/** Adds the violated rules of the configuration at `path`, those inside it aside. */
export function checkTaskType(
  task: WorkflowTask,
  path: string,
  rules: TaskRules,
  violations: Violations,
): void {
  const check = checks[task.type];
  if (check === undefined || !Object.hasOwn(checks, task.type)) return;
  check({ task, rules, add: (message) => violations.add(path, message) });
}

const checks: { readonly [type: string]: (check: Check) => void } = {
  EVENT: ({ task, add }) => {
    if (task.sink === undefined) add(required(task, 'sink'));
  },
  DECISION: checkDecision,
  SWITCH: checkSwitch,
  DYNAMIC: ({ task, add }) => {
    if (task.dynamicTaskNameParam === undefined) add(required(task, 'dynamicTaskNameParam'));
  },
  FORK_JOIN_DYNAMIC: checkDynamicFork,
  FORK_JOIN: ({ task, add }) => {
    if (task.forkTasks.length === 0) {
      add(`forkTasks should have atleast one task for ${taskTypeAndName(task)}`);
    }
  },
  HTTP: ({ task, rules, add }) => {
    const { inputParameters } = task;
    if (['http_request', 'uri', 'method'].some((key) => Object.hasOwn(inputParameters, key)))
      return;
    if (inTemplate(task, rules, 'http_request')) return;
    add(required(task, 'inputParameters.http_request or inputParameters.uri'));
  },
  JSON_JQ_TRANSFORM: ({ task, rules, add }) => {
    if (Object.hasOwn(task.inputParameters, 'queryExpression')) return;
    if (inTemplate(task, rules, 'queryExpression')) return;
    add(required(task, 'inputParameters.queryExpression'));
  },
  SUB_WORKFLOW: ({ task, add }) => {
    if (task.subWorkflowParam === undefined) {
      add(required(task, 'subWorkflowParam'));
      return;
    }
    const { name, workflowDefinition } = task.subWorkflowParam;
    if (!name && workflowDefinition === undefined) add(required(task, 'subWorkflowParam.name'));
  },
  DO_WHILE: ({ task, add }) => {
    const overItems = task.items !== undefined || given(task.inputParameters['_items']);
    if (task.loopCondition === undefined && !overItems && !given(task.inputParameters['items'])) {
      add(required(task, 'loopCondition'));
    }
    if (task.loopOver.length === 0) add(required(task, 'loopOver'));
  },
  TERMINATE: ({ task, add }) => {
    if (task.optional) add(`terminate task cannot be optional, taskName: ${task.name}`);
    const status = task.inputParameters['terminationStatus'];
    if (status !== 'COMPLETED' && status !== 'FAILED' && status !== 'TERMINATED') {
      add(
        `terminate task must have an terminationStatus parameter and must be set to COMPLETED or FAILED, taskName: ${task.name}`,
      );
    }
  },
  WAIT: checkWait,
};

function checkDecision({ task, rules, add }: Check): void {
  if (task.caseValueParam === undefined && task.caseExpression === undefined) {
    add(required(task, 'caseValueParam or caseExpression'));
  }
  checkCases(task, add);
  if (task.caseExpression !== undefined) checkScript(task, task.caseExpression, rules, add);
}

function checkSwitch({ task, rules, add }: Check): void {
  checkCases(task, add);
  if (task.evaluatorType === undefined) {
    add(required(task, 'evaluatorType'));
    return;
  }
  if (task.expression === undefined) add(required(task, 'expression'));
  else if (task.evaluatorType === 'javascript') checkScript(task, task.expression, rules, add);
}

function checkCases(task: WorkflowTask, add: (message: string) => void): void {
  if (Object.keys(task.decisionCases).length > 0) return;
  if (isAbsentText(task, 'decisionCases')) add(required(task, 'decisionCases'));
  add(`decisionCases should have atleast one task for ${taskTypeAndName(task)}`);
}

function checkScript(
  task: WorkflowTask,
  source: string,
  rules: TaskRules,
  add: (message: string) => void,
): void {
  const trouble = rules.checkSyntax('javascript', source);
  if (trouble === undefined) return;
  add(`Expression is not well formatted: ${trouble}, taskType: ${task.type} taskName ${task.name}`);
}

function checkDynamicFork({ task, add }: Check): void {
  if (Object.hasOwn(task.inputParameters, 'forkTaskInputs')) return;
  const { dynamicForkJoinTasksParam, dynamicForkTasksParam, dynamicForkTasksInputParamName } = task;
  if (dynamicForkJoinTasksParam !== undefined) {
    if (dynamicForkTasksParam === undefined && dynamicForkTasksInputParamName === undefined) return;
    // Spelling as clients know it.
    add(
      `dynamicForkJoinTasksParam or combination of dynamicForkTasksInputParamName and dynamicForkTasksParam cam be used for ${taskTypeAndName(task)}`,
    );
    return;
  }
  if (dynamicForkTasksParam === undefined) add(required(task, 'dynamicForkTasksParam'));
  if (dynamicForkTasksInputParamName === undefined) {
    add(required(task, 'dynamicForkTasksInputParamName'));
  }
}

/** Values that hold an expression are known only when the task is scheduled. */
function checkWait({ task, add }: Check): void {
  const { duration, until } = task.inputParameters;
  if (given(duration) && given(until)) {
    add("Both 'duration' and 'until' specified. Please provide only one input");
  } else if (given(duration)) {
    const text = literal(duration);
    if (text !== undefined && parseWaitDuration(text) === undefined) {
      add('Either date or duration is passed as null ');
    }
  } else if (given(until)) {
    const text = literal(until);
    if (text !== undefined && parseWaitUntil(text) === undefined) add('Unable to parse date ');
  }
}

function literal(value: Json): string | undefined {
  if (typeof value !== 'string') return typeof value === 'object' ? '?' : String(value);
  return value.includes('${') ? undefined : value;
}

function given(value: Json | undefined): value is Exclude<Json, null> {
  return value !== undefined && value !== null;
}

function inTemplate(task: WorkflowTask, rules: TaskRules, key: string): boolean {
  const def = task.taskDefinition ?? rules.taskDef(task.name);
  return given(def?.inputTemplate[key]);
}

function required(task: WorkflowTask, field: string): string {
  return `${field} field is required for ${taskTypeAndName(task)}`;
}

function taskTypeAndName(task: WorkflowTask): string {
  return `taskType: ${task.type} taskName: ${task.name}`;
}
