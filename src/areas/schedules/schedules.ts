// What callers do with schedules (contract-core 19.3, semantics 7.5). A schedule is a record: the
// node that is asked writes it, and the leader's scheduler follows.
import { requireRight, type AccessRules } from '../../access/access-rules.js';
import type { Caller } from '../../model/caller.js';
import { AppError } from '../../model/errors.js';
import type { Json } from '../../model/json.js';
import { parseJson, toJsonText } from '../../model/json-text.js';
import { parseStartWorkflowRequest } from '../../model/parse-start-request.js';
import { checkInlineDef } from '../../model/validate-start-request.js';
import type { WorkflowRules } from '../../model/validate-workflow-def.js';
import { ownedBy } from '../../model/owner-of-record.js';
import { nextDueTimes } from './due-times.js';
import {
  entriesOf,
  workflowNameOf,
  type ScheduleFields,
  type WorkflowSchedule,
} from './schedule.js';
import type { Clock } from '../../std/clock.js';
import { requireStartRight } from '../../operation/access.js';
import type { Ownership } from '../../operation/identity/ownership.js';
import type { RecordForm, RecordTable } from '../../operation/records/record-table.js';
import { changeRecord, saveRecord } from '../../operation/records/change-record.js';
import type { Tags } from '../../operation/tags/tags.js';

export const scheduleForm: RecordForm<WorkflowSchedule> = {
  kind: 'schedule',
  idOf: ({ name }) => name,
  write: (schedule) => toJsonText(schedule as unknown as Json),
  read: (text) => parseJson(text) as unknown as WorkflowSchedule,
};

export interface SchedulesParts {
  readonly table: RecordTable<WorkflowSchedule>;
  readonly clock: Clock;
  readonly access: AccessRules;
  readonly rules: WorkflowRules;
  readonly ownership: Ownership;
  readonly tags: Tags;
  /** Schedules that there may be. */
  readonly schedulesMax: number;
  /** Shortest time between two due times of a cron entry, seconds. */
  readonly intervalSecondsMin: number;
}

const requestField = 'startWorkflowRequest';

export class Schedules {
  constructor(private readonly parts: SchedulesParts) {}

  /** Throws AppError 'not-found'. */
  get(name: string): WorkflowSchedule {
    const schedule = this.parts.table.get(name);
    if (schedule === undefined) throw unknownSchedule(name);
    return schedule;
  }

  /** Those that the caller may read, by name; of one workflow where one is named. */
  list(caller: Caller, workflowName?: string): WorkflowSchedule[] {
    const found: WorkflowSchedule[] = [];
    for (const schedule of this.parts.table.values()) {
      if (workflowName !== undefined && workflowNameOf(schedule) !== workflowName) continue;
      if (this.mayRead(caller, schedule)) found.push(schedule);
    }
    return found.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  mayRead(caller: Caller, { name }: { name: string }): boolean {
    return this.parts.access.may(caller, 'READ', { type: 'WORKFLOW_SCHEDULE', id: name });
  }

  /**
   * Creates or replaces a schedule. From now on it acts with the rights of the caller, and due
   * times count. Throws AppError 'forbidden', 'conflict' beyond the number of schedules,
   * 'bad-request' for one that is due too often, 'validation' for an inline definition that breaks
   * the rules of registration.
   */
  async save(caller: Caller, { tags, ...fields }: ScheduleFields): Promise<WorkflowSchedule> {
    const { table, access } = this.parts;
    const requireSave = (known: WorkflowSchedule | undefined): void => {
      requireRight(access, caller, known === undefined ? 'CREATE' : 'UPDATE', {
        type: 'WORKFLOW_SCHEDULE',
        id: known === undefined ? undefined : fields.name,
      });
    };
    requireSave(table.get(fields.name));
    const request = parseStartWorkflowRequest(fields.startWorkflowRequest, requestField);
    requireStartRight(access, caller, request);
    await checkInlineDef(request, requestField, this.parts.rules);
    if (table.get(fields.name) === undefined && table.size >= this.parts.schedulesMax) {
      throw new AppError(
        'conflict',
        `There are ${table.size} schedules already (schedulesMax); delete some first`,
      );
    }
    const now = this.parts.clock.now();
    requireInterval(fields, now, this.parts.intervalSecondsMin);
    const { record: saved, isNew } = await saveRecord(table, fields.name, {
      require: requireSave,
      change: (known) => ({
        ...fields,
        createTime: known?.createTime ?? now,
        ...ownedBy(caller.id, known?.createdBy),
        updatedTime: now,
        updatedBy: caller.id,
        activeFrom: later(now, known),
      }),
    });
    if (isNew) await this.parts.ownership.created(caller, 'WORKFLOW_SCHEDULE', fields.name);
    if (tags !== undefined) {
      const resource = { type: 'WORKFLOW_SCHEDULE', id: fields.name } as const;
      await this.parts.tags.replace(caller, resource, tags);
    }
    return saved;
  }

  /** Throws AppError 'not-found'. A schedule that is paused already gets the new reason. */
  async pause(caller: Caller, name: string, reason?: string): Promise<void> {
    await this.#change(caller, name, ({ pausedReason: _old, ...schedule }) => ({
      ...schedule,
      paused: true,
      ...(reason === undefined ? {} : { pausedReason: reason }),
    }));
  }

  /**
   * Throws AppError 'not-found'. Due times count from now on; one that was not paused goes on as it
   * was.
   */
  async resume(caller: Caller, name: string): Promise<void> {
    if (!this.get(name).paused) {
      this.#requireUpdate(caller, name);
      return;
    }
    await this.#change(caller, name, ({ pausedReason: _reason, ...schedule }, now) => ({
      ...schedule,
      paused: false,
      activeFrom: later(now, schedule),
    }));
  }

  /** Nothing happens when there is none. */
  async delete(name: string): Promise<void> {
    if (!(await this.parts.table.remove(name))) return;
    await this.parts.ownership.removed('WORKFLOW_SCHEDULE', name);
  }

  async #change(
    caller: Caller,
    name: string,
    change: (schedule: WorkflowSchedule, now: number) => WorkflowSchedule,
  ): Promise<void> {
    this.get(name);
    this.#requireUpdate(caller, name);
    await changeRecord(this.parts.table, name, (known) => {
      if (known === undefined) throw unknownSchedule(name);
      const now = this.parts.clock.now();
      return { ...change(known, now), updatedTime: now, updatedBy: caller.id };
    });
  }

  #requireUpdate(caller: Caller, name: string): void {
    requireRight(this.parts.access, caller, 'UPDATE', { type: 'WORKFLOW_SCHEDULE', id: name });
  }
}

/** Due times of an entry that are compared with each other. */
const comparedTimes = 100;

/** Throws AppError 'bad-request'. Due times are whole seconds apart, so that one is no limit. */
function requireInterval(fields: ScheduleFields, now: number, secondsMin: number): void {
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

function unknownSchedule(name: string): AppError {
  return new AppError('not-found', `Schedule '${name.slice(0, 255)}' not found`);
}
