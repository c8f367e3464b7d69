// The process of a human task: its state, and the moves from one state to the next (contract-admin
// 10.3 to 10.6). Pure: a move gives a new process or says why it is refused.
//
//   ASSIGNED      the assignee of the current entry of the chain may claim it; without assignee
//                 everybody may
//   IN_PROGRESS   a claimant holds it
//
// Ended states are not kept here: they follow from the status of the task. The limit of an entry
// counts from its assignment and stops when somebody claims the task.
import { present } from '../record-reader.js';
import {
  isSameUser,
  type HumanAssignment,
  type HumanUser,
  type TriggerType,
} from './human-definition.js';

export interface HumanActionLog {
  readonly id: string;
  readonly action: string;
  /** After the action. */
  readonly state: string;
  /** Epoch ms. */
  readonly stateStart: number;
  readonly actedBy: string;
  readonly assignee?: HumanUser;
  readonly claimant?: HumanUser;
  readonly reason?: string;
}

export interface HumanTriggerLog {
  readonly triggerType: TriggerType;
  readonly workflowId: string;
  /** Epoch ms. */
  readonly time: number;
}

export interface HumanProcess {
  readonly state: 'ASSIGNED' | 'IN_PROGRESS';
  /** Epoch ms. */
  readonly lastUpdated: number;
  readonly updatedBy?: string;
  readonly assignments: readonly HumanAssignment[];
  readonly completionStrategy: 'LEAVE_OPEN' | 'TERMINATE';
  /** Position in the chain; absent without one, and once it is exhausted. */
  readonly assigneeIndex?: number;
  readonly assignmentsCompleted: boolean;
  readonly skippedAssigneeIndexes: readonly number[];
  readonly assignee?: HumanUser;
  readonly claimant?: HumanUser;
  /**
   * Subject that took the claim itself (subject.ts): nobody else holds it who gets the id later.
   * Absent: the definition gave it, by name, to anybody of that id.
   */
  readonly claimedBy?: string;
  /** When the entry's limit is over, epoch ms; 0: never. */
  readonly escalateAt: number;
  readonly actionLogs: readonly HumanActionLog[];
  readonly triggerLogs: readonly HumanTriggerLog[];
  /** Its record was deleted; the task itself goes on. */
  readonly isDeleted?: true;
}

/** The result of a move. */
export type Move =
  | {
      readonly kind: 'moved';
      readonly process: HumanProcess;
      readonly fired: readonly TriggerType[];
    }
  /** The chain is exhausted and the task ends with it. */
  | { readonly kind: 'ended'; readonly process: HumanProcess }
  | { readonly kind: 'refused'; readonly why: string };

/** When and by whom; `logId` makes ids of log entries. */
export interface MoveBy {
  readonly now: number;
  readonly actedBy: string;
  readonly logId: () => string;
}

/** Contract-admin 10.4. */
export const exhaustedReason =
  'Task terminated as no more assignments pending and completion strategy is TERMINATE';
const logsMax = 200;
const minuteMs = 60_000;

/** The process of a task that is scheduled now. */
export function beginProcess(
  chain: Pick<HumanProcess, 'assignments' | 'completionStrategy'> & { readonly autoClaim: boolean },
  by: MoveBy,
): Move {
  const { autoClaim, ...own } = chain;
  const empty: HumanProcess = {
    ...own,
    state: 'ASSIGNED',
    lastUpdated: by.now,
    assignmentsCompleted: false,
    skippedAssigneeIndexes: [],
    escalateAt: 0,
    actionLogs: [],
    triggerLogs: [],
  };
  const assigned = assignFrom(empty, 0, { ...by, actedBy: 'system' }, 'LEAVE_OPEN');
  const first = own.assignments[0]?.assignee;
  if (!autoClaim || first === undefined || first.userType.endsWith('GROUP')) return assigned;
  if (assigned.kind !== 'moved') return assigned;
  const claimed = takeFor(assigned.process, first, { ...by, actedBy: nameOf(first) });
  return { ...claimed, fired: ['ASSIGNED', 'ASSIGNEE_CHANGED', ...claimed.fired] };
}

/** The limit of the current entry is over. */
export function escalate(process: HumanProcess, by: MoveBy): Move {
  if (process.state !== 'ASSIGNED' || process.assigneeIndex === undefined) {
    return { kind: 'moved', process: { ...process, escalateAt: 0 }, fired: [] };
  }
  return assignFrom(process, process.assigneeIndex + 1, by, process.completionStrategy);
}

export interface Claim {
  readonly claimant: HumanUser;
  /** As `HumanProcess.claimedBy`. */
  readonly claimedBy?: string | undefined;
  /** Of the claimant. */
  readonly groups: readonly string[];
  readonly override: boolean;
  /** `claimedBy` of somebody who is gone, so that the claim binds nobody. */
  readonly inPlaceOf?: string | undefined;
}

export function claim(held: HumanProcess, how: Claim, by: MoveBy): Move {
  const { claimant, claimedBy, groups, override, inPlaceOf } = how;
  if (held.claimant !== undefined && (inPlaceOf === undefined || held.claimedBy !== inPlaceOf)) {
    return refused(
      `The task is claimed by ${held.claimant.user} already: it must be released first`,
    );
  }
  const process = held.claimant === undefined ? held : released(held, { ...by, actedBy: 'system' });
  const claimed = { ...process, ...present({ claimedBy }) };
  if (!mayClaim(process.assignee, claimant, groups)) {
    if (!override) return refused('The task is assigned to somebody else (overrideAssignment)');
    return takeFor({ ...claimed, assignee: claimant }, claimant, by, process.assignee);
  }
  return takeFor(claimed, claimant, by);
}

export function release(process: HumanProcess, by: MoveBy): Move {
  if (process.claimant === undefined) return refused('The task is not claimed by anybody');
  return {
    kind: 'moved',
    process: released(process, by),
    fired: ['PENDING', 'CLAIMANT_CHANGED', 'ASSIGNED'],
  };
}

function released(process: HumanProcess, by: MoveBy): HumanProcess {
  const { claimant: _claimant, claimedBy: _claimedBy, ...rest } = process;
  const pending = logged(rest, 'RELEASE', 'PENDING', by);
  const system = { ...by, actedBy: 'system' };
  const assigned = { ...pending, state: 'ASSIGNED', escalateAt: limitOf(process, by.now) } as const;
  return logged(assigned, 'ASSIGNMENT', 'ASSIGNED', system);
}

export function skip(process: HumanProcess, reason: string | undefined, by: MoveBy): Move {
  const { assigneeIndex, assignee } = process;
  if (assignee === undefined || assigneeIndex === undefined) {
    return refused('The task has no assignee who could be skipped');
  }
  const { claimant: _claimant, claimedBy: _claimedBy, ...rest } = process;
  const skipped = [...process.skippedAssigneeIndexes, assigneeIndex];
  const logs = logged({ ...rest, skippedAssigneeIndexes: skipped }, 'SKIP', 'PENDING', by, reason);
  return assignFrom(logs, assigneeIndex + 1, by, process.completionStrategy);
}

export function reassign(
  process: HumanProcess,
  assignments: readonly HumanAssignment[],
  by: MoveBy,
): Move {
  if (process.claimant !== undefined) {
    return refused('The task is claimed: it must be released before it is reassigned');
  }
  const chain = {
    ...process,
    assignments,
    skippedAssigneeIndexes: [],
    assignmentsCompleted: false,
  };
  return assignFrom(logged(chain, 'REASSIGN', 'PENDING', by), 0, by, 'LEAVE_OPEN');
}

/**
 * When the limit of its assignment is over, epoch ms; 0: never. A claim stops the limit and leaves
 * this moment as it was: the task is still due by then.
 */
export function assignmentDueAt(process: HumanProcess): number {
  const { assigneeIndex, assignments, actionLogs, escalateAt } = process;
  const slaMinutes =
    assigneeIndex === undefined ? 0 : (assignments[assigneeIndex]?.slaMinutes ?? 0);
  if (slaMinutes === 0 || escalateAt > 0) return escalateAt;
  const assigned = actionLogs.findLast(({ action }) => action === 'ASSIGNMENT');
  return assigned === undefined ? 0 : assigned.stateStart + slaMinutes * minuteMs;
}

/** Somebody has entered values, or completed the task: the state of the log is that after it. */
export function touched(
  process: HumanProcess,
  action: 'UPDATE' | 'COMPLETE',
  by: MoveBy,
): HumanProcess {
  const state = action === 'COMPLETE' ? 'COMPLETED' : process.state;
  return { ...logged(process, action, state, by), updatedBy: by.actedBy };
}

/** A workflow was started by a trigger. */
export function triggered(process: HumanProcess, log: HumanTriggerLog): HumanProcess {
  return { ...process, triggerLogs: [...process.triggerLogs, log].slice(-logsMax) };
}

/** Assigns to the entry at `index`, or to nobody when the chain ends before it. */
function assignFrom(
  process: HumanProcess,
  index: number,
  by: MoveBy,
  atEnd: 'LEAVE_OPEN' | 'TERMINATE',
): Move {
  const system = { ...by, actedBy: 'system' };
  const { assignee: before, assigneeIndex: _index, ...rest } = process;
  const entry = process.assignments[index];
  if (entry !== undefined) {
    const assigned: HumanProcess = {
      ...rest,
      state: 'ASSIGNED',
      assignee: entry.assignee,
      assigneeIndex: index,
      escalateAt: entry.slaMinutes === 0 ? 0 : by.now + entry.slaMinutes * minuteMs,
    };
    return {
      kind: 'moved',
      process: logged(assigned, 'ASSIGNMENT', 'ASSIGNED', system),
      fired: changedBetween(before, entry.assignee, ['ASSIGNED']),
    };
  }
  if (atEnd === 'TERMINATE') return { kind: 'ended', process: { ...process, escalateAt: 0 } };
  const open: HumanProcess = {
    ...rest,
    state: 'ASSIGNED',
    assignmentsCompleted: true,
    escalateAt: 0,
  };
  return {
    kind: 'moved',
    process: logged(open, 'ASSIGNMENTS_COMPLETED', 'ASSIGNED', system),
    fired: changedBetween(before, undefined, ['ASSIGNED']),
  };
}

function takeFor(
  process: HumanProcess,
  claimant: HumanUser,
  by: MoveBy,
  replaced?: HumanUser,
): Extract<Move, { kind: 'moved' }> {
  const claimed: HumanProcess = { ...process, state: 'IN_PROGRESS', claimant, escalateAt: 0 };
  return {
    kind: 'moved',
    process: logged(claimed, 'CLAIM', 'IN_PROGRESS', by),
    fired: [
      'IN_PROGRESS',
      'CLAIMANT_CHANGED',
      ...(replaced === undefined ? [] : (['ASSIGNEE_CHANGED'] as const)),
    ],
  };
}

/** A group of another system cannot be asked: the application that calls vouches for it. */
function mayClaim(
  assignee: HumanUser | undefined,
  claimant: HumanUser,
  groups: readonly string[],
): boolean {
  if (assignee === undefined || isSameUser(assignee, claimant)) return true;
  if (claimant.userType === 'EXTERNAL_USER') return assignee.userType === 'EXTERNAL_GROUP';
  return assignee.userType === 'CONDUCTOR_GROUP' && groups.includes(assignee.user);
}

function changedBetween(
  before: HumanUser | undefined,
  after: HumanUser | undefined,
  fired: TriggerType[],
): TriggerType[] {
  return isSameUser(before, after) ? fired : [...fired, 'ASSIGNEE_CHANGED'];
}

function limitOf(process: HumanProcess, now: number): number {
  const { assigneeIndex } = process;
  const entry = assigneeIndex === undefined ? undefined : process.assignments[assigneeIndex];
  return entry === undefined || entry.slaMinutes === 0 ? 0 : now + entry.slaMinutes * minuteMs;
}

function logged(
  process: HumanProcess,
  action: string,
  state: string,
  by: MoveBy,
  reason?: string,
): HumanProcess {
  const { assignee, claimant } = process;
  const entry: HumanActionLog = {
    id: by.logId(),
    action,
    state,
    stateStart: by.now,
    actedBy: by.actedBy,
    ...(assignee === undefined ? {} : { assignee }),
    ...(claimant === undefined ? {} : { claimant }),
    ...(reason === undefined ? {} : { reason: reason.slice(0, reasonCharsMax) }),
  };
  const actionLogs = [...process.actionLogs, entry].slice(-logsMax);
  const updatedBy = by.actedBy === 'system' ? process.updatedBy : by.actedBy;
  return {
    ...process,
    lastUpdated: by.now,
    ...(updatedBy === undefined ? {} : { updatedBy }),
    actionLogs,
  };
}

const reasonCharsMax = 1000;

function nameOf({ userType, user }: HumanUser): string {
  return `${userType}:${user}`;
}

function refused(why: string): Move {
  return { kind: 'refused', why };
}
