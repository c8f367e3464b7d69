// Schedules in a simulation: the product's scheduler on every node, with its store, for schedules
// that every node knows alike. Each due time must start exactly one execution or be recorded as
// skipped, whichever node leads (semantics 7.3).
import { Scheduler as ScheduleRunner } from '../../src/areas/schedules/scheduler.js';
import type { JsonMap } from '../../src/model/json.js';
import { nextDue } from '../../src/areas/schedules/due-times.js';
import type { ScheduleRun } from '../../src/areas/schedules/schedule-run.js';
import type { WorkflowSchedule } from '../../src/areas/schedules/schedule.js';
import { schedule } from '../../src/areas/schedules/schedule.js';
import { unpackText } from '../../src/redis/codec/record.js';
import { ScheduleKeys } from '../../src/areas/schedules/keys.js';
import type { Keys } from '../../src/redis/keys.js';
import type { Leadership } from '../../src/placement/leadership.js';
import type { ScheduleCursor, ScheduleRunStore } from '../../src/areas/schedules/run-store.js';
import { startOfTime, type Scheduler } from './scheduler.js';
import { startContext, startedOf, type ServerStartParts } from './server-starts.js';
import { staticTable } from './static-records.js';
import type { MemoryRedis } from './store/memory-redis.js';

const everyMs = 1000;
const everySecond = { cronExpression: '* * * * * ?', zoneId: 'UTC' };
// An expression is parsed once in a process, and its parser draws random numbers.
nextDue(everySecond, {}, startOfTime);
/** Due times lie within so long. */
const dueWithinMs = 8000;
export const runLifeMs = 86_400_000;
/** The clock of a node may be so far from that of the store. */
const clockErrorMs = 100;

/** Ends at once, so that it costs little; its executions leave memory, too. */
export const scheduledWorkflow: JsonMap = {
  ...{ name: 'simulated_scheduled', version: 1, schemaVersion: 2, ownerEmail: 'a@b.test' },
  tasks: [
    {
      ...{ name: 'set', taskReferenceName: 'set', type: 'SET_VARIABLE' },
      inputParameters: { at: '${workflow.input._scheduledTime}' },
    },
  ],
};

export class SimulatedSchedules {
  readonly all: readonly WorkflowSchedule[];
  /** Runs that were stored before they were due. */
  readonly early: string[] = [];
  readonly #keys: ScheduleKeys;

  constructor(scheduler: Scheduler, { prefix }: Keys, isScheduled = scheduler.chance(0.4)) {
    this.#keys = new ScheduleKeys(prefix);
    this.all = isScheduled ? [scheduleOf('second', scheduler.chance(0.5))] : [];
  }

  /** Every due time is behind the cursors. */
  isDone(redis: MemoryRedis): boolean {
    if (this.all.length === 0) return true;
    const cursors = readHash(redis, this.#keys.cursors(), 'cursor of a schedule');
    return this.all.every(({ name, scheduleEndTime = 0 }) => {
      const cursor = cursors.get(name) as unknown as ScheduleCursor | undefined;
      return (cursor?.handledUntil[0] ?? 0) >= scheduleEndTime;
    });
  }

  /** One sentence per violation; `read`: status of an execution. */
  async judge(
    redis: MemoryRedis,
    read: (id: string) => Promise<string | undefined>,
  ): Promise<string[]> {
    const stored = readHash(redis, this.#keys.runs(), 'scheduled run');
    const runs = [...stored.values()] as unknown as ScheduleRun[];
    const found = this.all.flatMap((schedule) => judgeDueTimes(schedule, runs));
    for (const { workflowId, scheduledTime, executionTime, state, reason } of runs) {
      const when = `due time ${scheduledTime - startOfTime}`;
      if (executionTime < scheduledTime - clockErrorMs) found.push(`${when} ran early`);
      if (workflowId === undefined) {
        if (!isSkipped(reason)) found.push(`${when} is ${state}: ${reason}`);
        continue;
      }
      const status = await read(workflowId);
      if (status !== 'COMPLETED') found.push(`execution ${workflowId} of ${when} is ${status}`);
    }
    const ids = new Set(runs.flatMap(({ workflowId }) => workflowId ?? []));
    for (const id of startedOf(redis, String(scheduledWorkflow['name']))) {
      if (!ids.has(id)) found.push(`execution ${id} belongs to no due time`);
    }
    return found;
  }
}

function scheduleOf(name: string, isCatchingUp: boolean): WorkflowSchedule {
  return {
    ...{ name, ...everySecond, cronSchedules: [] },
    startWorkflowRequest: { name: String(scheduledWorkflow['name']), version: 1 },
    runCatchupScheduleInstances: isCatchingUp,
    paused: false,
    scheduleEndTime: startOfTime + dueWithinMs,
    ...{ createTime: startOfTime, updatedTime: startOfTime, createdBy: '', updatedBy: '' },
    activeFrom: startOfTime,
  };
}

function judgeDueTimes(schedule: WorkflowSchedule, runs: readonly ScheduleRun[]): string[] {
  const found: string[] = [];
  const { scheduleEndTime = 0, activeFrom, runCatchupScheduleInstances: mustRun } = schedule;
  for (let dueAt = activeFrom + everyMs; dueAt <= scheduleEndTime; dueAt += everyMs) {
    const own = runs.filter(({ scheduledTime }) => scheduledTime === dueAt);
    const started = own.filter(({ workflowId }) => workflowId !== undefined);
    const what = `due time ${dueAt - startOfTime} of schedule ${schedule.name}`;
    if (started.length > 1) found.push(`${what} has ${started.length} runs`);
    if (started.length === 1) continue;
    if (mustRun || !runs.some((run) => covers(run, dueAt))) found.push(`${what} was lost`);
  }
  return found;
}

function isSkipped(reason: string | undefined): boolean {
  return reason?.startsWith('Skipped ') === true;
}

/** Whether the run says that the due time was skipped. */
function covers({ scheduledTime, reason }: ScheduleRun, dueAt: number): boolean {
  if (!isSkipped(reason)) return false;
  const until = Date.parse(/ to (\S+):/.exec(reason as string)?.[1] ?? '');
  return scheduledTime <= dueAt && dueAt <= until;
}

function readHash(redis: MemoryRedis, key: string, what: string): Map<string, JsonMap> {
  const flat = redis.call('HGETALL', key) as string[];
  const found = new Map<string, JsonMap>();
  for (let i = 0; i < flat.length; i += 2) {
    const text = unpackText(what, Buffer.from(flat[i + 1] as string, 'latin1'));
    found.set(flat[i] as string, JSON.parse(text) as JsonMap);
  }
  return found;
}

export interface ScheduleRunnerParts extends ServerStartParts {
  readonly leadership: Leadership;
  readonly store: ScheduleRunStore;
  readonly schedules: readonly WorkflowSchedule[];
  readonly failed: (error: unknown) => void;
}

/** The scheduler of a node, as in src/schedule-area.ts. */
export async function buildScheduleRunner(parts: ScheduleRunnerParts): Promise<ScheduleRunner> {
  const { clock, leadership, store, failed } = parts;
  const schedules = staticTable(schedule.record, parts.schedules);
  await schedules.load();
  const operations = startContext(parts);
  return new ScheduleRunner({
    ...{ clock, leadership, schedules, store, operations, failed },
    runsAtOnceMax: 4,
    catchupMax: 10_000,
    runLifeMs,
  });
}
