// Starts what a schedule is due to start (semantics 7.4). The execution's id is made from schedule,
// cron entry and due time, so a due time that is dealt with twice, because the server died between
// the start and its record, still starts one execution.
import { hash } from 'node:crypto';
import type { Caller } from '../../model/caller.js';
import { AppError } from '../../model/errors.js';
import { ownerIdOf } from '../../model/owner-of-record.js';
import {
  parseStartWorkflowRequest,
  type StartWorkflowRequest,
} from '../../model/parse-start-request.js';
import { workflowNameOf, type CronSchedule, type WorkflowSchedule } from './schedule.js';
import { reasonCharsMax, type ScheduleRun } from './schedule-run.js';
import { executionIdOf, type ExecutionId } from '../../std/ids.js';
import type { OperationContext } from '../../operation/context.js';
import { isTransient } from '../../operation/refusals.js';
import { startWorkflow } from '../../operation/start-workflow.js';
import { plainId } from '../../model/subject.js';

export interface ScheduledStartContext extends OperationContext {
  /** Whose rights a run has, by the owner of record; undefined: does not exist any more. */
  readonly ownerOf: (ownerId: string) => Caller | undefined;
}

export interface DueRun {
  readonly schedule: WorkflowSchedule;
  /** Position of the cron entry. */
  readonly index: number;
  readonly entry: CronSchedule;
  /** Epoch ms. */
  readonly dueAt: number;
  /** Nobody can have dealt with this due time before. */
  readonly isFirst: boolean;
}

/**
 * Starts the execution and resolves with the record of the run, which also says when it could not
 * be started. Rejects when it may work later: the store is away, or too much waits for it.
 */
export async function startScheduledRun(
  context: ScheduledStartContext,
  due: DueRun,
): Promise<ScheduleRun> {
  const executedAt = context.clock.now();
  const run = recordOf(due, executedAt);
  try {
    const request = requestOf(due, run);
    return { ...run, workflowId: await start(context, request, due, run), state: 'EXECUTED' };
  } catch (error) {
    if (isTransient(error)) throw error;
    const message = error instanceof Error ? error.message : String(error);
    return { ...run, reason: message.slice(0, reasonCharsMax), state: 'FAILED' };
  }
}

/** The record that due times passed without a run: the server did not run then. */
export function skippedRun(
  due: DueRun,
  { until, count, now }: { until: number; count: string; now: number },
): ScheduleRun {
  const reason =
    `${skipped} ${count} due times from ${new Date(due.dueAt).toISOString()} to ` +
    `${new Date(until).toISOString()}: they had passed when the schedule could run again`;
  return { ...recordOf(due, now), reason, state: 'FAILED' };
}

const skipped = 'Skipped';

/** Whether it records due times that passed while no server ran: nothing failed. */
export function isSkippedRun({ workflowId, reason = '' }: ScheduleRun): boolean {
  return workflowId === undefined && reason.startsWith(`${skipped} `);
}

async function start(
  context: ScheduledStartContext,
  request: StartWorkflowRequest,
  due: DueRun,
  run: ScheduleRun,
): Promise<string> {
  const caller = callerOf(context, due);
  try {
    return await startWorkflow(context, caller, request, {
      id: workflowIdOf(due),
      isFirst: due.isFirst,
      origin: { name: `schedule ${due.schedule.name}`, kind: 'internal', trace: undefined },
    });
  } catch (error) {
    const isTaken = error instanceof AppError && error.kind === 'conflict';
    if (!isTaken || request.idempotencyKey === undefined) throw error;
    const own = await startedBefore(context, caller, request, run);
    if (own === undefined) throw error;
    return own;
  }
}

/**
 * A run is started as the schedule's owner of record, with the rights that are in force when it is
 * due (docs/access.md). Throws AppError 'forbidden'.
 */
function callerOf({ ownerOf }: ScheduledStartContext, { schedule }: DueRun): Caller {
  const ownerId = ownerIdOf(schedule);
  const caller = ownerOf(ownerId);
  if (caller !== undefined) return caller;
  throw new AppError('forbidden', `The owner of the schedule is gone: ${plainId(ownerId)}`);
}

/** The execution that holds the key, if this very run started it before the server died. */
async function startedBefore(
  context: OperationContext,
  caller: Caller,
  request: StartWorkflowRequest,
  run: ScheduleRun,
): Promise<string | undefined> {
  const existing = { ...request, idempotencyStrategy: 'RETURN_EXISTING' } as const;
  const id = await startWorkflow(context, caller, existing);
  const startedBy = await context.executions.read(
    id,
    ({ execution }) => execution.input.value['_executionId'],
  );
  return startedBy === run.executionId ? id : undefined;
}

function requestOf({ schedule, entry, dueAt }: DueRun, run: ScheduleRun): StartWorkflowRequest {
  const request = parseStartWorkflowRequest(schedule.startWorkflowRequest, 'startWorkflowRequest');
  const input = {
    ...request.input,
    _startedByScheduler: schedule.name,
    _scheduledTime: dueAt,
    _executedTime: run.executionTime,
    _executionId: run.executionId,
    _schedulerCron: `${entry.cronExpression} ${entry.zoneId}`,
  };
  return { ...request, input };
}

function recordOf(
  due: DueRun,
  executionTime: number,
): Omit<ScheduleRun, 'state'> & { state: 'POLLED' } {
  const { schedule, entry, dueAt } = due;
  return {
    executionId: uuidOf(digestOf(due, 'run')),
    scheduleName: schedule.name,
    scheduledTime: dueAt,
    executionTime,
    workflowName: workflowNameOf(schedule),
    startWorkflowRequest: schedule.startWorkflowRequest,
    state: 'POLLED',
    zoneId: entry.zoneId,
  };
}

function workflowIdOf(due: DueRun): ExecutionId {
  const digest = digestOf(due, 'workflow');
  return executionIdOf(digest.readUInt16BE(0), digest.subarray(2));
}

function digestOf({ schedule, index, dueAt }: DueRun, purpose: string): Buffer {
  return hash('sha256', JSON.stringify([purpose, schedule.name, index, dueAt]), 'buffer');
}

/** A UUID of version 8 made from a digest. */
function uuidOf(digest: Buffer): string {
  return executionIdOf(digest.readUInt16BE(0), digest.subarray(2));
}
