// Loads whose tasks workers carry out. Each is a closed load of the driver; the floor gets chains
// of five with as many tasks right before it, and processor time per task is told as a multiple.
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

/** Processor time of a task of a chain of five on the floor, node and Redis, us. */
export async function floorUsPerTask(tasks: number, bytes = bytesPerTask): Promise<number> {
  const scenario = chain(5, 1, payloadBytes);
  const floor = await startFloor(scenario, bytes);
  try {
    const executions = Math.max(1, Math.ceil(tasks / scenario.tasksPerExecution));
    await measure(floor, scenario, executions, loadOf(executions));
    return usOf(await measure(floor, scenario, executions, loadOf(executions)));
  } finally {
    await floor.stop();
  }
}

function flow(name: string, about: string, scenarioOf: (sizes: Sizes) => Scenario): Workload {
  return {
    name,
    about,
    async run(subject, sizes) {
      const scenario = scenarioOf(sizes);
      const floorUs = await floorUsPerTask(sizes.tasks);
      const executions = Math.max(1, Math.ceil(sizes.tasks / scenario.tasksPerExecution));
      return measured(subject, scenario, executions, floorUs);
    },
  };
}

async function measured(
  subject: Subject,
  scenario: Scenario,
  executions: number,
  floorUs: number,
): Promise<Found> {
  await prepare(subject.server, scenario);
  const window = Math.max(1, Math.ceil(1_000 / scenario.tasksPerExecution));
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
    flow('chains', 'five worker tasks in a row', () => chain(5, 1, payloadBytes)),
    flow('fan-out', 'a dynamic fork, a worker task in each branch', ({ wide }) =>
      dynamicFork(wide),
    ),
    flow('loops', 'a loop with a worker task in each round', ({ wide }) => loop(wide, 0)),
    flow('sub-workflows', 'a parent, a worker task in each child', ({ wide }) =>
      subWorkflows(wide),
    ),
    ...payloads.map(payload),
  ];
}
