// The definitions of the workload: those of the torture test, and some with limits and signals.
import type { JsonMap } from '../../src/model/json.js';
import {
  childName,
  startable,
  taskDefs,
  taskTypes,
  workflowDefs,
} from '../torture/load-definitions.js';
import { StaticDefinitions } from './definitions.js';
import { tellingName, tellsOfItsEnd, toldWorkflow } from './events.js';
import { outsideWorkflows } from './outside/definitions.js';
import type { Scheduler } from './scheduler.js';
import { scheduledWorkflow } from './schedules.js';
import { isWide } from './seeds.js';
import { unwritableName } from './unwritable.js';

export const limitedType = 'torture_limited';
export const limitedAtOnce = 2;

const limitedDef = {
  ...taskDefs[0],
  name: limitedType,
  concurrentExecLimit: limitedAtOnce,
};

export const pacedType = 'torture_paced';
/** Hand-outs within `paceMs`. */
export const pacePerWindow = 3;
export const paceMs = 2000;

const pacedDef = {
  ...taskDefs[0],
  name: pacedType,
  rateLimitPerFrequency: pacePerWindow,
  rateLimitFrequencyInSeconds: paceMs / 1000,
};

export const punctualType = 'torture_punctual';
export const punctualName = 'torture_punctual';

/** Every attempt comes a second after it is scheduled. */
const punctualDef = { ...taskDefs[0], name: punctualType, retryDelaySeconds: 1 };

function simple(type: string, ref: string): JsonMap {
  return {
    ...{ name: type, taskReferenceName: ref, type: 'SIMPLE' },
    inputParameters: { start: '${workflow.input.start}' },
  };
}

function define(name: string, tasks: JsonMap[]): JsonMap {
  return { ...{ name, version: 1, schemaVersion: 2, ownerEmail: 'a@b.test' }, tasks };
}

/** More of a type at a time than its limit allows. */
function crowd(name: string, type: string): JsonMap {
  return define(name, [
    {
      ...{ name: 'fork', taskReferenceName: 'fork', type: 'FORK_JOIN' },
      forkTasks: ['f1', 'f2', 'f3'].map((ref) => [simple(type, ref)]),
    },
    { name: 'join', taskReferenceName: 'join', type: 'JOIN', joinOn: ['f1', 'f2', 'f3'] },
    simple(type, 'last'),
  ]);
}

const limitedWorkflow = crowd('torture_limits', limitedType);
const pacedWorkflow = crowd('torture_paces', pacedType);
/** Places per side. */
export const placesPerSide = 1;
export const roomedName = 'torture_rooms';
const roomedWorkflow = {
  ...define(roomedName, [simple(taskTypes.steady, 'first'), simple(taskTypes.steady, 'last')]),
  rateLimitConfig: {
    ...{ concurrentExecLimit: placesPerSide, policy: 'QUEUE' },
    rateLimitKey: '${workflow.input.side}',
  },
};
const signalWorkflow = define('torture_signal', [
  simple(taskTypes.steady, 'first'),
  { name: 'wait', taskReferenceName: 'wait', type: 'WAIT', inputParameters: {} },
  simple(taskTypes.steady, 'last'),
]);

const punctualWorkflow = define(punctualName, [{ ...simple(punctualType, 'only'), startDelay: 1 }]);
const unwritableWorkflow = define(unwritableName, [
  simple(taskTypes.steady, 'first'),
  simple(taskTypes.steady, 'last'),
]);

const tellingWorkflow = define(tellingName, [
  { ...simple(taskTypes.steady, 'first'), ...tellsOfItsEnd },
  simple(taskTypes.steady, 'last'),
]);

export const definitions = new StaticDefinitions(
  [...taskDefs, limitedDef, pacedDef, punctualDef] as unknown as JsonMap[],
  [
    ...[...workflowDefs, limitedWorkflow, roomedWorkflow, signalWorkflow, scheduledWorkflow],
    ...[unwritableWorkflow, pacedWorkflow, punctualWorkflow],
    ...[tellingWorkflow, toldWorkflow, ...outsideWorkflows],
  ] as unknown as JsonMap[],
);

/** What is started, and how it ends. */
export interface Kind {
  readonly name: string;
  readonly endsAs: string;
}

const completing = (name: string): Kind => ({ name, endsAs: 'COMPLETED' });

const kinds: readonly Kind[] = [
  ...startable,
  ...['torture_limits', 'torture_signal', roomedName].map(completing),
];
/** Of wide seeds alone (seeds.ts). */
const lateKinds: readonly Kind[] = [
  ...['torture_paces', tellingName].map(completing),
  { name: unwritableName, endsAs: 'FAILED' },
];

/** Few, so that many executions share queues and limits; `only`: the one that there is. */
export function chooseKinds(scheduler: Scheduler, only: string | undefined): readonly Kind[] {
  const chosen = [1, 2, 3].map(() => scheduler.pick(kinds));
  if (only !== undefined) return [...kinds, ...lateKinds].filter(({ name }) => name === only);
  return isWide(scheduler.seed) ? [...chosen.slice(1), ...lateKinds] : chosen;
}

/** Types of the tasks for which the executions of these workflows need workers. */
export function workerTypesOf(workflowNames: readonly string[]): string[] {
  const texts = workflowNames.map(textOf);
  const all = [...Object.values(taskTypes), limitedType, pacedType];
  return all.filter((type) => texts.some((text) => text.includes(type)));
}

/** The definition, and that of what it may start. */
function textOf(name: string): string {
  const text = JSON.stringify(definitions.workflowDef(name));
  return name !== childName && text.includes(childName) ? text + textOf(childName) : text;
}
