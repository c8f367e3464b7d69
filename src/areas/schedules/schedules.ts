// Operations on schedules (contract-core 19.3, semantics 7.5). A schedule is a record: the node
// that is asked writes it, and the leader's scheduler follows.
import { query } from '../../api/endpoint.js';
import { text } from '../../model/schema.js';
import type { Caller } from '../../model/caller.js';
import { AppError } from '../../model/errors.js';
import { ownedBy } from '../../model/owner-of-record.js';
import { parseStartWorkflowRequest } from '../../model/parse-start-request.js';
import type { Tag } from '../../model/tag.js';
import { checkInlineDef } from '../../model/validate-start-request.js';
import { requireStartRight } from '../../operation/access.js';
import type { RecordTable } from '../../operation/records/record-table.js';
import type { Ports } from '../ports.js';
import { Resource } from '../resource.js';
import { nextDueTimes, nextRunTime } from './due-times.js';
import type { ScheduleRun } from './schedule-run.js';
import {
  entriesOf,
  schedule,
  workflowNameOf,
  type ScheduleFields,
  type ShownSchedule,
  type WorkflowSchedule,
} from './schedule.js';

export interface SchedulesParts extends Pick<
  Ports,
  'clock' | 'access' | 'ownership' | 'tags' | 'definitionRules'
> {
  readonly table: RecordTable<WorkflowSchedule>;
  /** Schedules that there may be. */
  readonly schedulesMax: number;
  /** Shortest time between two due times of a cron entry, seconds. */
  readonly intervalSecondsMin: number;
}

const requestField = 'startWorkflowRequest';

export class Schedules extends Resource<ScheduleFields, WorkflowSchedule, ShownSchedule> {
  constructor({ schedulesMax, intervalSecondsMin, definitionRules, ...ports }: SchedulesParts) {
    const { access, clock } = ports;
    super(
      {
        type: 'WORKFLOW_SCHEDULE',
        called: 'Schedule',
        path: '/api/scheduler/schedules',
        noun: schedule,
        limit: { max: schedulesMax, setting: 'schedulesMax' },
        async check(caller, fields) {
          const request = parseStartWorkflowRequest(fields.startWorkflowRequest, requestField);
          requireStartRight(access, caller, request);
          await checkInlineDef(request, requestField, definitionRules);
          requireInterval(fields, clock.now(), intervalSecondsMin);
        },
        // From now on it acts with the rights of the caller, and due times count.
        make: (fields, { caller, known, now }) => ({
          ...fields,
          createTime: known?.createTime ?? now,
          ...ownedBy(caller.id, known?.createdBy),
          updatedTime: now,
          updatedBy: caller.id,
          activeFrom: later(now, known),
        }),
        show: (stored, tags) => schedule.toJson(stored, derivedOf(stored, tags, clock.now())),
        filters: {
          workflowName: {
            parameter: query(text()),
            fits: (stored, name) => workflowNameOf(stored) === name,
          },
        },
      },
      ports,
    );
  }

  /**
   * Whether the caller may see a run. Those that were due before the schedule was made are of a
   * former one of its name, which others may have had: they are for who may read all schedules.
   */
  mayReadRun(caller: Caller, { scheduleName, scheduledTime }: ScheduleRun): boolean {
    if (!this.mayRead(caller, scheduleName)) return false;
    const { createTime = 0 } = this.find(scheduleName) ?? {};
    const all = { type: 'WORKFLOW_SCHEDULE', id: undefined } as const;
    return scheduledTime >= createTime || this.ports.access.may(caller, 'READ', all);
  }

  /** Throws AppError 'not-found'. A schedule that is paused already gets the new reason. */
  async pause(caller: Caller, name: string, reason?: string): Promise<void> {
    await this.change(caller, name, ({ pausedReason: _old, ...known }, now) => ({
      ...known,
      paused: true,
      ...(reason === undefined ? {} : { pausedReason: reason }),
      ...{ updatedTime: now, updatedBy: caller.id },
    }));
  }

  /**
   * Throws AppError 'not-found'. Due times count from now on; one that was not paused goes on as it
   * was.
   */
  async resume(caller: Caller, name: string): Promise<void> {
    if (!this.get(name).paused) {
      this.requireUpdate(caller, name);
      return;
    }
    await this.change(caller, name, ({ pausedReason: _reason, ...known }, now) => ({
      ...known,
      paused: false,
      activeFrom: later(now, known),
      ...{ updatedTime: now, updatedBy: caller.id },
    }));
  }
}

/** Tags are shown when there are any. */
function derivedOf(
  stored: WorkflowSchedule,
  tags: Tag[],
  now: number,
): Pick<ShownSchedule, 'tags' | 'nextRunTime'> {
  const next = nextRunTime(stored, now);
  return {
    ...(tags.length === 0 ? {} : { tags }),
    ...(next === undefined ? {} : { nextRunTime: next }),
  };
}

/** Due times of an entry that are compared with each other. */
const comparedTimes = 100;

/** Throws AppError 'bad-request'. Due times are whole seconds apart, so that one is no limit. */
function requireInterval(
  fields: Parameters<typeof entriesOf>[0],
  now: number,
  secondsMin: number,
): void {
  if (secondsMin <= 1) return;
  for (const { cronExpression, zoneId } of entriesOf(fields)) {
    const bounds = { after: now, limit: comparedTimes };
    const times = nextDueTimes({ cronExpression, zoneId }, {}, bounds);
    const isTooOften = times.some((at, i) => at - (times[i - 1] ?? -Infinity) < secondsMin * 1000);
    if (!isTooOften) continue;
    throw new AppError(
      'bad-request',
      `cronExpression '${cronExpression}' is due more often than every ${secondsMin} seconds (scheduleIntervalSecondsMin)`,
    );
  }
}

/** Rises with every change, whatever the clock does. */
function later(now: number, known: { activeFrom: number } | undefined): number {
  return known === undefined ? now : Math.max(now, known.activeFrom + 1);
}
