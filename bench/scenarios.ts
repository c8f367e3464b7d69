// The scenarios of the benchmarks: definitions and how many worker tasks one execution of each has.
import type { WireTaskDef, WireWorkflowDef } from '../testkit/wire.js';

export interface Scenario {
  readonly name: string;
  readonly taskDefs: readonly WireTaskDef[];
  readonly workflowDefs: readonly WireWorkflowDef[];
  /** Body of POST /api/workflow. */
  readonly startBody: string;
  readonly taskTypes: readonly string[];
  readonly tasksPerExecution: number;
}

function taskDef(name: string): WireTaskDef {
  return {
    name,
    retryCount: 0,
    timeoutSeconds: 0,
    responseTimeoutSeconds: 600,
    ownerEmail: 'bench@downbeat.test',
  };
}

function workflowDef(name: string, tasks: WireWorkflowDef['tasks']): WireWorkflowDef {
  return { name, version: 1, schemaVersion: 2, ownerEmail: 'bench@downbeat.test', tasks };
}

/**
 * `length` SIMPLE tasks in a row, over as many task types as `types` says, with so many bytes of
 * payload.
 */
export function chain(length: number, types = 1, payloadBytes = 5): Scenario {
  const name = `bench_chain_${length}_${types}`;
  const taskTypes = Array.from({ length: Math.min(types, length) }, (_, i) => `${name}_task_${i}`);
  const tasks = Array.from({ length }, (_, i) => ({
    name: taskTypes[i % taskTypes.length] as string,
    taskReferenceName: `t${i}`,
    type: 'SIMPLE',
    inputParameters:
      i === 0 ? { key: '${workflow.input.key}' } : { done: `\${t${i - 1}.output.done}` },
  }));
  return {
    name,
    taskDefs: taskTypes.map(taskDef),
    workflowDefs: [workflowDef(name, tasks)],
    startBody: JSON.stringify({ name, version: 1, input: { key: 'v'.repeat(payloadBytes) } }),
    taskTypes,
    tasksPerExecution: length,
  };
}

/** A dynamic fork with `branches` branches of one worker task each. */
export function dynamicFork(branches: number): Scenario {
  const name = 'bench_dynamic_fork';
  const task = 'bench_branch';
  const tasks = [
    {
      name: 'fork',
      taskReferenceName: 'fork',
      type: 'FORK_JOIN_DYNAMIC',
      inputParameters: { forkTaskName: task, forkTaskInputs: '${workflow.input.items}' },
    },
    { name: 'join', taskReferenceName: 'join', type: 'JOIN' },
  ];
  return {
    name: `${name} of ${branches}`,
    taskDefs: [taskDef(task)],
    workflowDefs: [workflowDef(name, tasks)],
    startBody: startWithItems(name, branches),
    taskTypes: [task],
    tasksPerExecution: branches,
  };
}

/** A dynamic fork whose `children` branches are executions of one worker task each. */
export function subWorkflows(children: number): Scenario {
  const name = 'bench_parent';
  const childName = 'bench_child';
  const task = 'bench_child_task';
  const tasks = [
    {
      name: 'fork',
      taskReferenceName: 'fork',
      type: 'FORK_JOIN_DYNAMIC',
      inputParameters: { forkTaskWorkflow: childName, forkTaskInputs: '${workflow.input.items}' },
    },
    { name: 'join', taskReferenceName: 'join', type: 'JOIN' },
  ];
  return {
    name: `${name} of ${children}`,
    taskDefs: [taskDef(task)],
    workflowDefs: [
      workflowDef(childName, [{ name: task, taskReferenceName: 't', type: 'SIMPLE' }]),
      workflowDef(name, tasks),
    ],
    startBody: startWithItems(name, children),
    taskTypes: [task],
    tasksPerExecution: children,
  };
}

/** A loop of `iterations` rounds with one worker task; `keepLastN` 0 keeps every round. */
export function loop(iterations: number, keepLastN: number): Scenario {
  const name = `bench_loop_${iterations}_${keepLastN}`;
  const task = 'bench_loop_task';
  const tasks = [
    {
      name: 'loop',
      taskReferenceName: 'loop',
      type: 'DO_WHILE',
      inputParameters: keepLastN > 0 ? { keepLastN } : {},
      loopCondition: `$.loop['iteration'] < ${iterations}`,
      loopOver: [{ name: task, taskReferenceName: 'body', type: 'SIMPLE' }],
    },
  ];
  return {
    name,
    taskDefs: [taskDef(task)],
    workflowDefs: [workflowDef(name, tasks)],
    startBody: JSON.stringify({ name, version: 1, input: {} }),
    taskTypes: [task],
    tasksPerExecution: iterations,
  };
}

function startWithItems(name: string, count: number): string {
  const items = Array.from({ length: count }, (_, i) => ({ n: i }));
  return JSON.stringify({ name, version: 1, input: { items } });
}
