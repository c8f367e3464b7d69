// The mixed load of the torture test: chains, static and dynamic forks, loops, sub-workflows,
// waits, retries, and workers that fail, say nothing, or give a task back. Each worker task gets
// the marker of the one before it, so that a history built from two different ones shows.
import type { TaskConfig, WireTaskDef, WireWorkflowDef } from '../../testkit/wire.js';

/** How the workers of a type behave; see worker-behaviour.ts. */
export const taskTypes = {
  steady: 'torture_steady',
  flaky: 'torture_flaky',
  silent: 'torture_silent',
  returning: 'torture_returning',
  doomed: 'torture_doomed',
} as const;

export type TaskTypeName = (typeof taskTypes)[keyof typeof taskTypes];

/** Seconds until the server gives up a worker that says nothing. */
export const leaseSeconds: { readonly [name in TaskTypeName]: number } = {
  torture_steady: 4,
  torture_flaky: 4,
  torture_silent: 1,
  torture_returning: 4,
  torture_doomed: 4,
};

export const taskDefs: readonly WireTaskDef[] = Object.values(taskTypes).map((name) => ({
  name,
  retryCount: 10,
  retryLogic: 'FIXED',
  retryDelaySeconds: 0,
  timeoutSeconds: 0,
  responseTimeoutSeconds: leaseSeconds[name],
  ownerEmail: 'torture@downbeat.test',
}));

export const waitMs = 1_000;
export const loopRounds = 4;

function simple(type: TaskTypeName, ref: string, previous?: string): TaskConfig {
  return {
    name: type,
    taskReferenceName: ref,
    type: 'SIMPLE',
    inputParameters: {
      start: '${workflow.input.start}',
      ...(previous === undefined
        ? {}
        : { previous: `\${${previous}.output.marker}`, of: previous }),
    },
  };
}

function define(name: string, tasks: TaskConfig[], outputOf: string): WireWorkflowDef {
  return {
    name: `torture_${name}`,
    version: 1,
    schemaVersion: 2,
    ownerEmail: 'torture@downbeat.test',
    tasks,
    outputParameters: { last: `\${${outputOf}.output.marker}` },
  };
}

const { steady, flaky, silent, returning, doomed } = taskTypes;

export const childName = 'torture_child';

export const workflowDefs: readonly WireWorkflowDef[] = [
  define('child', [simple(steady, 'c1'), simple(flaky, 'c2', 'c1')], 'c2'),
  define(
    'chain',
    [
      simple(steady, 't1'),
      simple(steady, 't2', 't1'),
      simple(steady, 't3', 't2'),
      simple(steady, 't4', 't3'),
      simple(steady, 't5', 't4'),
    ],
    't5',
  ),
  define(
    'fork',
    [
      {
        name: 'fork',
        taskReferenceName: 'fork',
        type: 'FORK_JOIN',
        forkTasks: [
          [simple(steady, 'a1'), simple(steady, 'a2', 'a1')],
          [simple(flaky, 'b1')],
          [simple(steady, 'd1'), simple(silent, 'd2', 'd1')],
        ],
      },
      { name: 'join', taskReferenceName: 'join', type: 'JOIN', joinOn: ['a2', 'b1', 'd2'] },
      simple(steady, 'last', 'a2'),
    ],
    'last',
  ),
  define(
    'dynamic',
    [
      {
        name: 'fork',
        taskReferenceName: 'fork',
        type: 'FORK_JOIN_DYNAMIC',
        inputParameters: { forkTaskName: steady, forkTaskInputs: '${workflow.input.items}' },
      },
      { name: 'join', taskReferenceName: 'join', type: 'JOIN' },
      simple(steady, 'last'),
    ],
    'last',
  ),
  define(
    'loop',
    [
      {
        name: 'loop',
        taskReferenceName: 'loop',
        type: 'DO_WHILE',
        loopCondition: `$.loop['iteration'] < ${loopRounds}`,
        loopOver: [simple(steady, 'round'), simple(flaky, 'second', 'round')],
      },
      simple(steady, 'last'),
    ],
    'last',
  ),
  define(
    'parent',
    [
      simple(steady, 'first'),
      {
        name: 'sub',
        taskReferenceName: 'sub',
        type: 'SUB_WORKFLOW',
        subWorkflowParam: { name: childName, version: 1 },
        inputParameters: { start: '${workflow.input.start}' },
      },
      {
        ...simple(steady, 'last'),
        inputParameters: { start: '${workflow.input.start}', child: '${sub.output.last}' },
      },
    ],
    'last',
  ),
  define(
    'wait',
    [
      simple(steady, 'first'),
      {
        name: 'wait',
        taskReferenceName: 'wait',
        type: 'WAIT',
        inputParameters: { duration: `${waitMs / 1_000} seconds` },
      },
      simple(steady, 'last', 'first'),
    ],
    'last',
  ),
  define(
    'retries',
    [simple(flaky, 'r1'), simple(silent, 'r2', 'r1'), simple(returning, 'r3', 'r2')],
    'r3',
  ),
  define(
    'switch',
    [
      simple(steady, 'first'),
      {
        name: 'switch',
        taskReferenceName: 'switch',
        type: 'SWITCH',
        evaluatorType: 'value-param',
        expression: 'side',
        inputParameters: { side: '${workflow.input.side}' },
        decisionCases: { left: [simple(steady, 'left', 'first')] },
        defaultCase: [simple(returning, 'right', 'first')],
      },
      simple(steady, 'last', 'first'),
    ],
    'last',
  ),
  define('doomed', [simple(steady, 'first'), simple(doomed, 'end', 'first')], 'first'),
];

/** Definitions that are started from outside, and how an execution of each ends. */
export const startable: readonly { readonly name: string; readonly endsAs: string }[] = workflowDefs
  .map(({ name }) => ({ name, endsAs: name === 'torture_doomed' ? 'FAILED' : 'COMPLETED' }))
  .filter(({ name }) => name !== childName);
