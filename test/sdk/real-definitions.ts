// Runs of the real definitions that lie in ../shared/inputs: for each the input, what its workers
// answer, and how it must end, so that every switch and decision is taken each way.
import type { JsonObject } from '../../testkit/wire.js';
import type { WorkerScript } from '../support/workers.js';

export interface DefinitionRun {
  /** File below ../shared/inputs. */
  readonly file: string;
  readonly way: string;
  readonly input: JsonObject;
  /** Scripts of task types that do not simply complete with `defaultOutput`. */
  readonly workers?: { readonly [taskType: string]: WorkerScript };
  /** References of WAIT tasks, completed in this order by a signal. */
  readonly signals?: readonly string[];
  readonly endsAs: string;
  /** References of worker tasks that end COMPLETED, sorted. */
  readonly carriedOut: readonly string[];
  /** What the output must contain. */
  readonly output?: JsonObject;
}

/** What a worker without a script answers. */
export const defaultOutput: JsonObject = { op: 'done', payload: 'load', uuid: 'u-1' };

const failing: WorkerScript = () => ({ status: 'FAILED', reason: 'on purpose' });

function completed(output: JsonObject): WorkerScript {
  return () => ({ status: 'COMPLETED', output });
}

const params = { param1: 'p1 value', param2: 'p2 value' };

const exclusiveJoin = 'exclusive_join_integration_test.json';
const decisionFork = 'decision_and_fork_join_integration_test.json';
const switchFork = 'switch_and_fork_join_integration_test.json';
const switchTerminate = 'switch_and_terminate_integration_test.json';
const optional = 'simple_workflow_with_optional_task_integration_test.json';
const permissive = 'simple_workflow_with_permissive_task_integration_test.json';
const lambda = 'simple_lambda_workflow_integration_test.json';

function inLoop(rounds: number, refs: readonly string[]): string[] {
  return Array.from({ length: rounds }, (_, i) => refs.map((ref) => `${ref}__${i + 1}`))
    .flat()
    .sort();
}

const loopBody = ['integration_task_0', 'integration_task_1', 'integration_task_2'];

export const definitionRuns: readonly DefinitionRun[] = [
  ...[decisionFork, switchFork].flatMap((file) => [
    {
      file,
      way: 'case c',
      input: { ...params, case: 'c' },
      endsAs: 'COMPLETED',
      carriedOut: ['t1', 't10', 't2', 't20'],
    },
    {
      file,
      way: 'the default case',
      input: { ...params, case: 'other' },
      endsAs: 'COMPLETED',
      carriedOut: ['t10', 't20', 't5'],
    },
  ]),
  {
    file: 'do_while_integration_test.json',
    way: 'two rounds',
    input: { loop: 2 },
    endsAs: 'COMPLETED',
    carriedOut: inLoop(2, loopBody),
  },
  {
    file: 'do_while_sub_workflow_integration_test.json',
    way: 'two rounds',
    input: { loop: 2 },
    endsAs: 'COMPLETED',
    carriedOut: inLoop(2, loopBody),
  },
  {
    file: 'dynamic_fork_join_integration_test.json',
    way: 'two branches',
    input: params,
    workers: {
      integration_task_1: completed({
        dynamicTasks: [
          { name: 'integration_task_2', taskReferenceName: 'xdt1', type: 'SIMPLE' },
          { name: 'integration_task_3', taskReferenceName: 'xdt2', type: 'SIMPLE' },
        ],
        dynamicTasksInput: { xdt1: { k1: 'v1' }, xdt2: { k2: 'v2' } },
      }),
    },
    endsAs: 'COMPLETED',
    carriedOut: ['dt1', 'task4', 'xdt1', 'xdt2'],
  },
  {
    file: 'event_workflow_integration_test.json',
    way: 'an internal event',
    input: {},
    endsAs: 'COMPLETED',
    carriedOut: ['t1'],
  },
  {
    file: exclusiveJoin,
    way: 'true, true',
    input: { decision_1: 'true', decision_2: 'true' },
    endsAs: 'COMPLETED',
    carriedOut: ['task1', 'task2', 'task3'],
  },
  {
    file: exclusiveJoin,
    way: 'true, false',
    input: { decision_1: 'true', decision_2: 'false' },
    endsAs: 'COMPLETED',
    carriedOut: ['task1', 'task2'],
  },
  {
    file: exclusiveJoin,
    way: 'false, true',
    input: { decision_1: 'false', decision_3: 'true' },
    endsAs: 'COMPLETED',
    carriedOut: ['task1', 'task4', 'task5'],
  },
  {
    file: exclusiveJoin,
    way: 'neither',
    input: { decision_1: 'null' },
    endsAs: 'COMPLETED',
    carriedOut: ['task1'],
  },
  {
    file: 'fork_join_integration_test.json',
    way: 'both branches',
    input: params,
    endsAs: 'COMPLETED',
    carriedOut: ['t1', 't2', 't3', 't4'],
  },
  {
    file: 'fork_join_integration_test.json',
    way: 'a failing branch',
    input: params,
    workers: { integration_task_2: failing },
    endsAs: 'FAILED',
    carriedOut: [],
  },
  {
    file: 'fork_join_sub_workflow.json',
    way: 'both branches',
    input: params,
    endsAs: 'COMPLETED',
    carriedOut: ['t2'],
  },
  {
    file: 'hierarchical_fork_join_swf.json',
    way: 'a child of another definition',
    input: { ...params, subwf: 'sub_workflow', nextSubwf: 'none' },
    endsAs: 'COMPLETED',
    carriedOut: ['t2'],
  },
  {
    file: 'nested_fork_join_integration_test.json',
    way: 'case a',
    input: { ...params, case: 'a' },
    endsAs: 'COMPLETED',
    carriedOut: ['t11', 't12', 't13', 't14', 't15', 't16', 't19', 't20'],
  },
  {
    file: 'sequential_json_jq_transform_integration_test.json',
    way: 'a given transformation',
    input: { body: { in1: 'a', in2: 'b' }, requestTransform: '{result: (.body.in1 + .body.in2)}' },
    endsAs: 'COMPLETED',
    carriedOut: [],
    output: { result: { result: 'ab' } },
  },
  {
    file: 'sequential_json_jq_transform_integration_test.json',
    way: 'the default transformation',
    input: { body: { in1: 'a' } },
    endsAs: 'COMPLETED',
    carriedOut: [],
    output: { result: { in1: 'a' } },
  },
  {
    file: 'set_variable_workflow_integration_test.json',
    way: 'a signal',
    input: { var: 'set' },
    signals: ['wait0'],
    endsAs: 'COMPLETED',
    carriedOut: ['simple'],
    output: { variables: { var: 'set' } },
  },
  {
    file: lambda,
    way: 'true',
    input: { a: 1 },
    endsAs: 'COMPLETED',
    carriedOut: [],
    output: { result: { testvalue: true } },
  },
  {
    file: lambda,
    way: 'false',
    input: { a: 2 },
    endsAs: 'COMPLETED',
    carriedOut: [],
    output: { result: { testvalue: false } },
  },
  {
    file: 'simple_one_task_sub_workflow_integration_test.json',
    way: 'one task',
    input: {},
    endsAs: 'COMPLETED',
    carriedOut: ['t1'],
  },
  {
    file: 'simple_switch_task_integration_test.json',
    way: 'case c',
    input: { ...params, case: 'c' },
    endsAs: 'COMPLETED',
    carriedOut: ['t1', 't2', 't20'],
  },
  {
    file: 'simple_switch_task_integration_test.json',
    way: 'the default case',
    input: { ...params, case: 'z' },
    endsAs: 'COMPLETED',
    carriedOut: ['t20', 't5'],
  },
  {
    file: 'simple_workflow_1_input_template_integration_test.json',
    way: 'input over template',
    input: { param1: 'given' },
    endsAs: 'COMPLETED',
    carriedOut: ['t1'],
    output: {
      output: 'done',
      param1: 'given',
      param2: ['list', 'of', 'strings'],
      param3: 'string',
    },
  },
  {
    file: 'simple_workflow_1_integration_test.json',
    way: 'two tasks',
    input: params,
    endsAs: 'COMPLETED',
    carriedOut: ['t1', 't2'],
    output: { o1: 'p1 value', o2: 'u-1', o3: 'done' },
  },
  {
    file: 'simple_workflow_1_integration_test.json',
    way: 'a failing first task',
    input: params,
    workers: { integration_task_1: failing },
    endsAs: 'FAILED',
    carriedOut: [],
  },
  {
    file: 'simple_workflow_3_integration_test.json',
    way: 'three tasks',
    input: params,
    endsAs: 'COMPLETED',
    carriedOut: ['t1', 't2', 't3'],
  },
  {
    file: optional,
    way: 'an optional task that fails',
    input: params,
    workers: { task_optional: failing },
    endsAs: 'COMPLETED',
    carriedOut: ['t2'],
  },
  {
    file: optional,
    way: 'an optional task that completes',
    input: params,
    endsAs: 'COMPLETED',
    carriedOut: ['t1', 't2'],
  },
  {
    file: permissive,
    way: 'a permissive task that fails',
    input: params,
    workers: { task_permissive: failing },
    endsAs: 'FAILED',
    carriedOut: ['t2'],
  },
  {
    file: permissive,
    way: 'a permissive task that completes',
    input: params,
    endsAs: 'COMPLETED',
    carriedOut: ['t1', 't2'],
  },
  {
    file: 'simple_workflow_with_resp_time_out_integration_test.json',
    way: 'a worker that answers at its second attempt',
    input: params,
    workers: {
      task_rt: (_, count) =>
        count === 0 ? 'silent' : { status: 'COMPLETED', output: defaultOutput },
    },
    endsAs: 'COMPLETED',
    carriedOut: ['t1', 't2'],
  },
  {
    file: switchTerminate,
    way: 'case one',
    input: { ...params, case: 'one' },
    endsAs: 'COMPLETED',
    carriedOut: ['t1', 't2', 't3'],
    output: { o2: 'done' },
  },
  {
    file: switchTerminate,
    way: 'case two',
    input: { ...params, case: 'two' },
    endsAs: 'FAILED',
    carriedOut: ['t1'],
  },
  {
    file: 'terminate_task_completed_workflow_integration_test.json',
    way: 'the end by a task',
    input: { a: 1 },
    endsAs: 'COMPLETED',
    carriedOut: [],
    output: { result: { testvalue: true } },
  },
  {
    file: 'wait_workflow_integration_test.json',
    way: 'a signal',
    input: {},
    signals: ['wait0'],
    endsAs: 'COMPLETED',
    carriedOut: ['t1'],
  },
  {
    file: 'workflow_that_starts_another_workflow.json',
    way: 'another one',
    input: { startWorkflow: { name: 'sub_workflow', version: 1 } },
    endsAs: 'COMPLETED',
    carriedOut: [],
  },
  {
    file: 'workflow_with_sub_workflow_1_integration_test.json',
    way: 'a child',
    input: { ...params, subwf: 'sub_workflow' },
    endsAs: 'COMPLETED',
    carriedOut: ['t1'],
  },
  {
    file: 'quickstart_workflow.json',
    way: 'an answer from the address',
    input: {},
    endsAs: 'COMPLETED',
    carriedOut: [],
    output: { summary: 'Host here responded in 3 with random value 4' },
  },
  {
    file: 'do_while_with_decision_task.json',
    way: 'numbers above zero',
    input: { list: [1, 2] },
    signals: ['WaitTask__1', 'WaitTask__2'],
    endsAs: 'COMPLETED',
    carriedOut: [],
  },
];
