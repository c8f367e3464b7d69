// Names for the forms that pages use; schema.d.ts is generated from the server's own description.
import type { components } from './schema';

type Schemas = components['schemas'];

export type Workflow = Schemas['Workflow'];
export type WorkflowStatus = Workflow['status'];
export type WorkflowSummary = Schemas['WorkflowSummary'];
export type ScheduleOutcome = Schemas['ScheduleOutcome'];
export type ScheduleOutcomes = Schemas['ScheduleOutcomes'];
export type PageError = Schemas['PageError'];
export type BulkResponse = Schemas['BulkResponse'];
export type ExecutionHead = Schemas['WorkflowHead'];
export type WorkflowDef = Schemas['WorkflowDef'];
export type WorkflowTask = Schemas['WorkflowTask'];
export type Task = Schemas['Task'];
export type TaskStatus = Task['status'];
export type TaskDef = Schemas['TaskDef'];
export type TaskExecLog = Schemas['TaskExecLog'];
export type WhyAnswer = Schemas['WhyAnswer'];
export type WaitReason = Schemas['WaitReason'];
export type BulkJob = Schemas['BulkJob'];
export type BulkJobOutcomes = Schemas['BulkJobOutcomes'];
export type RetryWorkflowRequest = Schemas['RetryWorkflowRequest'];
export type HistoryEntry = Schemas['HistoryEntry'];
export type Overview = Schemas['Overview'];
export type Attention = Schemas['Attention'];
export type Series = Schemas['Series'];
export type Rates = Schemas['Rates'];
export type QueueWhy = Schemas['QueueWhy'];
export type QueueStats = Schemas['QueueStats'];
export type FailureGroups = Schemas['FailureGroups'];
export type FailureGroup = FailureGroups['groups'][number];
export type WorkflowStats = Schemas['WorkflowStats'];
export type PollData = Schemas['PollData'];
export type WebhookExecutionHistory = Schemas['WebhookExecutionHistory'];
export type WorkflowSchedule = Schemas['WorkflowSchedule'];
export type Tag = Schemas['Tag'];
export type Health = Schemas['Health'];
export type EventHandlerTrial = Schemas['EventHandlerTrial'];
export type Features = Schemas['Features'];
export type Cluster = Schemas['Cluster'];
export type ClusterNode = Schemas['ClusterNode'];
export type CronSchedule = Schemas['CronSchedule'];
export type NodeReport = Schemas['NodeReport'];
export type Performance = Schemas['Performance'];
export type WorkflowPerformance = Schemas['WorkflowPerformance'];
export type TaskPerformance = Schemas['TaskPerformance'];
export type FleetWorker = Schemas['FleetWorker'];
export type Session = Schemas['Session'];
export type UserSession = Schemas['UserSession'];
export type SubjectGrant = Schemas['SubjectGrant'];
export type ExplainedRight = Schemas['ExplainedRight'];
export type AccessKey = Schemas['AccessKey'];
export type Plugin = Schemas['Plugin'];
export type PluginSetting = Schemas['PluginSetting'];
export type StoreUsage = Schemas['StoreUsage'];
export type WorkflowSizes = Schemas['WorkflowSizes'];
export type WorkflowSize = Schemas['WorkflowSize'];
export type WorkflowFacets = Schemas['WorkflowFacets'];
export type TaskMock = Schemas['TaskMock'];
export type WorkflowOutline = Schemas['WorkflowOutline'];
export type DescribedResource = Schemas['DescribedResource'];
export type HumanTaskEntry = Schemas['HumanTaskEntry'];
export type HumanTaskUser = Schemas['HumanTaskUser'];
export type HumanTaskTemplate = Schemas['HumanTaskTemplate'];
export type HumanTaskAssignment = Schemas['HumanTaskAssignment'];

/** Served where authentication is on. */
export interface Invitation {
  readonly id: string;
  readonly email: string;
  readonly roles: readonly string[];
  readonly groups: readonly string[];
  /** Epoch ms. */
  readonly until: number;
}

export interface CreatedInvitation extends Invitation {
  /** Shown once. */
  readonly token: string;
}

export interface Found<Row> {
  readonly totalHits: number;
  readonly results: readonly Row[];
}

/** As one writes it: members with a default and those that the server adds may be absent. */
export type Written<T> = T extends readonly (infer Item)[]
  ? readonly Written<Item>[]
  : T extends object
    ? { readonly [Member in keyof T]?: Written<T[Member]> }
    : T;

export type JsonObject = Readonly<Record<string, unknown>>;

export const workflowStatuses: readonly WorkflowStatus[] = [
  'RUNNING',
  'PAUSED',
  'COMPLETED',
  'FAILED',
  'TIMED_OUT',
  'TERMINATED',
];
