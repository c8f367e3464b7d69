// Human tasks as the wire shows them (contract-admin 10.2, 10.3).
import { asJson, type JsonMap } from '../json.js';
import type { TaskStatus } from '../status.js';
import {
  definitionKey,
  humanDefinitionOf,
  processKey,
  type HumanAssignment,
  type HumanTrigger,
  type HumanUser,
} from './human-definition.js';
import type { HumanProcess } from './human-process.js';
import { plainId, withPlainIds } from '../subject.js';

export const humanStates = [
  'PENDING',
  'ASSIGNED',
  'IN_PROGRESS',
  'COMPLETED',
  'TIMED_OUT',
  'DELETED',
] as const;
export type HumanState = (typeof humanStates)[number];

/** The fields of an entry that searches use; no others are shown. */
export interface HumanTaskEntry {
  readonly taskId: string;
  readonly state: HumanState;
  readonly displayName: string;
  readonly definitionName: string;
  readonly workflowId: string;
  readonly workflowName: string;
  /** Business key of the execution; absent: it has none. */
  readonly correlationId?: string;
  readonly taskRefName: string;
  readonly assignee?: HumanUser;
  readonly claimant?: HumanUser;
  /** As in the process; it is not shown. */
  readonly claimedBy?: string;
  /** As the task was configured. */
  readonly humanTaskDef: {
    readonly displayName: string;
    readonly assignments: readonly HumanAssignment[];
    readonly assignmentCompletionStrategy: HumanProcess['completionStrategy'];
    readonly taskTriggers: readonly HumanTrigger[];
    readonly userFormTemplate?: { readonly name: string; readonly version: number };
  };
  readonly input: JsonMap;
  readonly output: JsonMap;
  readonly createdBy: string;
  readonly updatedBy: string;
  readonly createdOn: number;
  readonly updatedOn: number;
  /**
   * When it is due, epoch ms: the end of its assignment's limit, whether it is claimed or not, or
   * that of a time-out of its own, what comes first. Absent: never, or it has ended.
   */
  readonly dueTime?: number;
}

/** Facts about the task that an entry is made of. */
export interface HumanTaskFacts {
  readonly taskId: string;
  readonly status: TaskStatus;
  readonly defName: string;
  readonly workflowId: string;
  readonly workflowName: string;
  readonly correlationId: string | undefined;
  readonly ref: string;
  /** Without what the entry adds. */
  readonly input: JsonMap;
  readonly output: JsonMap;
  readonly createdBy: string;
  readonly createdOn: number;
  /** Epoch ms; 0: never. */
  readonly endedAt: number;
  /** Epoch ms; 0: never. */
  readonly dueAt: number;
  readonly process: HumanProcess;
}

export function humanStateOf(status: TaskStatus, process: HumanProcess): HumanState {
  if (status === 'IN_PROGRESS' || status === 'SCHEDULED') return process.state;
  if (status === 'COMPLETED' || status === 'COMPLETED_WITH_ERRORS') return 'COMPLETED';
  return status === 'TIMED_OUT' ? 'TIMED_OUT' : 'DELETED';
}

export function humanEntryOf(facts: HumanTaskFacts): HumanTaskEntry {
  const { process, input, createdBy, correlationId } = facts;
  const definition = humanDefinitionOf(input);
  const { assignee, claimant, claimedBy } = process;
  const displayName = definition.displayName ?? facts.defName;
  return {
    taskId: facts.taskId,
    state: humanStateOf(facts.status, process),
    displayName,
    definitionName: facts.defName,
    workflowId: facts.workflowId,
    workflowName: facts.workflowName,
    ...(correlationId === undefined || correlationId === '' ? {} : { correlationId }),
    taskRefName: facts.ref,
    ...(assignee === undefined ? {} : { assignee }),
    ...(claimant === undefined ? {} : { claimant }),
    ...(claimedBy === undefined ? {} : { claimedBy }),
    humanTaskDef: {
      displayName,
      assignments: process.assignments,
      assignmentCompletionStrategy: process.completionStrategy,
      taskTriggers: definition.triggers,
      ...(definition.userFormTemplate === undefined
        ? {}
        : { userFormTemplate: definition.userFormTemplate }),
    },
    input: {
      ...input,
      _createdBy: plainId(createdBy),
      [definitionKey]: input[definitionKey] ?? {},
      [processKey]: processContextOf(facts.status, process),
    },
    output: facts.output,
    createdBy,
    updatedBy: process.updatedBy ?? plainId(createdBy),
    createdOn: facts.createdOn,
    updatedOn: Math.max(process.lastUpdated, facts.endedAt),
    ...(facts.dueAt === 0 ? {} : { dueTime: facts.dueAt }),
  };
}

/** An entry as the wire shows it. */
export function shownEntry<T extends Pick<HumanTaskEntry, 'claimedBy' | 'createdBy' | 'updatedBy'>>(
  entry: T,
): Omit<T, 'claimedBy'> {
  const { claimedBy: _claimedBy, ...shown } = withPlainIds(entry);
  return shown;
}

/** Contract-admin 10.3. */
export function processContextOf(status: TaskStatus, process: HumanProcess): JsonMap {
  return {
    state: humanStateOf(status, process),
    lastUpdated: process.lastUpdated,
    ...(process.assigneeIndex === undefined ? {} : { assigneeIndex: process.assigneeIndex }),
    assignmentsCompleted: process.assignmentsCompleted,
    skippedAssigneeIndexes: [...process.skippedAssigneeIndexes],
    humanTaskTriggerLog: asJson(process.triggerLogs),
    humanTaskActionLogs: asJson(process.actionLogs),
  };
}
