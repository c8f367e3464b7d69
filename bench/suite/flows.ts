// Loads whose tasks workers carry out. Each is a closed load of the driver; the floor gets chains
// of five with as many tasks right before it, as many of them open at a time, and processor time
// per task is told as a multiple. A write for one request costs several times its share of a write
// for fifty, so a loop, whose rounds follow each other, is no multiple of a floor with a crowd.
import { startFloor } from '../floor/floor.js';
import type { LoadSettings } from '../load-driver.js';
import { measure, prepare, type Measurement } from '../measure.js';
import { chain, dynamicFork, loop, subWorkflows, type Scenario } from '../scenarios.js';
import {
  multipleOf,
  wrongIf,
  type Found,
  type Sizes,
  type Subject,
  type Workload,
} from './contract.js';

/** Bytes that the server writes for a task of a chain with payloads of 64 bytes. */
export const bytesPerTask = 870;
const payloadBytes = 64;
/** Executions that are read back and checked. */
const checkedMax = 20;

export function loadOf(window: number): LoadSettings {
  return {
    ...{ mode: 'crews', window, starters: 8 },
    ...{ pollers: 8, pollCount: 50, pollTimeoutMs: 300, workers: 32 },
  };
}

const usOf = ({ nodeUsPerTask, redisUsPerTask }: Measurement): number =>
  nodeUsPerTask + redisUsPerTask;

/** Tasks that the server has open at a time, about. */
const openTasksMax = 1_000;
/** Of the floor, where few are open at a time: each of them takes a write of its own. */
const serialTasksMax = 2_000;

/**
 * Processor time of a task of a chain of five on the floor, node and Redis, us. `open`: tasks that
 * are open at a time.
 */
async function floorUsPerTask(tasks: number, open: number): Promise<number> {
  const scenario = chain(5, 1, payloadBytes);
  const floor = await startFloor(scenario, bytesPerTask);
  try {
    const most = open < scenario.tasksPerExecution ? Math.min(tasks, serialTasksMax) : tasks;
    const executions = Math.max(1, Math.ceil(most / scenario.tasksPerExecution));
    const load = loadOf(Math.min(executions, open));
    await measure(floor, scenario, executions, load);
    return usOf(await measure(floor, scenario, executions, load));
  } finally {
    await floor.stop();
  }
}

/** `openTasks`: tasks of one execution that are open at a time. */
function flow(
  name: string,
  about: string,
  of: (sizes: Sizes) => { readonly scenario: Scenario; readonly openTasks: number },
): Workload {
  return {
    name,
    about,
    async run(subject, sizes) {
      const { scenario, openTasks } = of(sizes);
      const window = Math.max(1, Math.ceil(openTasksMax / scenario.tasksPerExecution));
      const floorUs = await floorUsPerTask(sizes.tasks, window * openTasks);
      const executions = Math.max(1, Math.ceil(sizes.tasks / scenario.tasksPerExecution));
      return measured(subject, { scenario, executions, window, floorUs });
    },
  };
}

interface FlowRun {
  readonly scenario: Scenario;
  readonly executions: number;
  /** Executions that are open at a time. */
  readonly window: number;
  readonly floorUs: number;
}

async function measured(
  subject: Subject,
  { scenario, executions, window, floorUs }: FlowRun,
): Promise<Found> {
  await prepare(subject.server, scenario);
  await measure(subject.server, scenario, Math.max(1, Math.ceil(executions / 4)), loadOf(window));
  const run = await measure(subject.server, scenario, executions, loadOf(window));
  return {
    figures: {
      'tasks per second': run.tasksPerSecond,
      'node us per task': run.nodeUsPerTask,
      'Redis us per task': run.redisUsPerTask,
    },
    ...multipleOf('processor time', usOf(run), floorUs),
    wrong: await wrongOf(subject, scenario, run, executions),
  };
}

/** Whether the executions ended well, each with all of its tasks. */
async function wrongOf(
  { client }: Subject,
  { tasksPerExecution, taskTypes }: Scenario,
  { load }: Measurement,
  executions: number,
): Promise<string[]> {
  const ids = new Set(load.workflowIds);
  const wrong = wrongIf(
    [ids.size !== executions, `${executions} were started, ${ids.size} ids came back`],
    [load.tasks !== executions * tasksPerExecution, `${load.tasks} tasks were completed`],
  );
  for (const id of [...ids].slice(-checkedMax)) {
    const { status, tasks } = await client.untilEnd(id);
    const own = tasks.filter(({ taskDefName }) => taskTypes.includes(taskDefName));
    const children = tasks.filter(({ taskType }) => taskType === 'SUB_WORKFLOW');
    const count = Math.max(own.length, children.length);
    const isWhole = status === 'COMPLETED' && count === tasksPerExecution;
    if (!isWhole)
      wrong.push(`${id} ended as ${status} with ${count} of ${tasksPerExecution} tasks`);
  }
  return wrong;
}

/** Of so many bytes that a worker reports. */
function payload(bytes: number): Workload {
  const kilobytes = Math.round(bytes / 1024);
  return {
    name: `payload ${kilobytes} KB`,
    about: 'workers report outputs of this size, which the execution keeps',
    async run(subject, sizes) {
      const scenario = chain(1, 1, payloadBytes);
      const outputBytes = bytes;
      // As many bytes as some hundred tasks of 64 KB have.
      const count = Math.max(2, Math.min(sizes.tasks, Math.ceil((sizes.tasks * 1024) / bytes)));
      const settings = { ...loadOf(Math.min(count, 8)), outputBytes };
      const floor = await startFloor(scenario, bytes);
      await prepare(subject.server, scenario);
      try {
        const floorRun = await measure(floor, scenario, count, settings);
        const run = await measure(subject.server, scenario, count, settings);
        const last = await subject.client.untilEnd(run.load.workflowIds.at(-1) ?? '');
        const kept = JSON.stringify(last.tasks[0]?.outputData ?? {}).length;
        return {
          figures: {
            'MB per second': (run.tasksPerSecond * bytes) / 2 ** 20,
            'p50 ms of a report': run.load.updates.p50,
            'node ms per report': run.nodeUsPerTask / 1000,
            'Redis ms per report': run.redisUsPerTask / 1000,
          },
          ...multipleOf('processor time', usOf(run), usOf(floorRun)),
          wrong: [
            ...wrongIf([kept !== outputBytes, `an output has ${kept} bytes, not ${outputBytes}`]),
            ...(await wrongOf(subject, scenario, run, count)),
          ],
        };
      } finally {
        await floor.stop();
      }
    },
  };
}

export function flowWorkloads({ payloads }: Sizes): Workload[] {
  return [
    flow('chains', 'five worker tasks in a row', () => ({
      scenario: chain(5, 1, payloadBytes),
      openTasks: 1,
    })),
    flow('fan-out', 'a dynamic fork, a worker task in each branch', ({ wide }) => ({
      scenario: dynamicFork(wide),
      openTasks: wide,
    })),
    flow('loops', 'a loop with a worker task in each round', ({ wide }) => ({
      scenario: loop(wide, 0),
      openTasks: 1,
    })),
    flow('sub-workflows', 'a parent, a worker task in each child', ({ wide }) => ({
      scenario: subWorkflows(wide),
      openTasks: wide,
    })),
    ...payloads.map(payload),
  ];
}
