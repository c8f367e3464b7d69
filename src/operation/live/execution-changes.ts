// Tells streams of changes what commits store of executions (topics.ts). The list of executions
// hears of starts and changes of status; one execution hears of every task that changes, as rows of
// its outline.
import type { Changes } from '../../engine/decision.js';
import type { OpenExecution } from '../../engine/open-execution.js';
import type { Execution } from '../../model/execution.js';
import { asJson, type Json, type JsonMap } from '../../model/json.js';
import type { TopicNotices } from '../../placement/topic-notices.js';
import type { ExecutionFollower } from '../../shard/execution-follower.js';
import { taskIdOf } from '../../std/ids.js';
import { present } from '../../model/record-reader.js';
import { ownedOf } from '../access.js';
import { outlineHead, outlineRow } from '../outline-workflow.js';
import { executionsTopic, executionTopic } from './topics.js';

/** Name of the member of a change that says what the rights on its execution hang on. */
export const ownedMember = '_owned';

/** The changes in one execution; rows as `GET /api/workflow/{id}/outline` shows them. */
export type ExecutionDetail = {
  workflowName: string;
  /** The facts that decide the rights on it; callers are not shown them. */
  [ownedMember]: Json;
  revision: number;
  /** Absent: the execution was removed. */
  head?: JsonMap;
  rows: Json[][];
  /** Ids of tasks whose records were removed. */
  removed: string[];
};

/** Rows of one execution told at a time; its readers read a larger change for themselves. */
const rowsMax = 500;

export class ExecutionChanges implements ExecutionFollower {
  constructor(private readonly notices: TopicNotices) {}

  get isFollowing(): boolean {
    return this.notices.isAnyWanted;
  }

  planned({ execution }: OpenExecution, changes: Changes): (() => void) | undefined {
    const { notices } = this;
    const { id } = execution;
    const topic = executionTopic(id);
    const isListed =
      (changes.created || changes.statusBefore !== undefined) && notices.isWanted(executionsTopic);
    const row = isListed ? rowOf(execution) : undefined;
    const isFollowed = notices.isWanted(topic);
    if (row === undefined && !isFollowed) return undefined;
    const isLarge = changes.tasks.size + changes.removedTasks.size > rowsMax;
    const detail = isFollowed && !isLarge ? detailOf(execution, changes) : undefined;
    return () => {
      if (row !== undefined) notices.publish({ topic: executionsTopic, key: id, content: row });
      if (detail !== undefined) notices.publish({ topic, key: id, content: detail }, mergeDetails);
      else if (isFollowed) notices.lose(topic);
    };
  }

  removed({ execution }: OpenExecution): void {
    const { notices } = this;
    const { id, snapshot } = execution;
    const told = { workflowName: snapshot.def.name, [ownedMember]: ownedJson(execution) };
    const topic = executionTopic(id);
    if (notices.isWanted(executionsTopic)) {
      const content = { workflowId: id, ...told, removed: true };
      notices.publish({ topic: executionsTopic, key: id, content });
    }
    if (!notices.isWanted(topic)) return;
    const content: ExecutionDetail = { ...told, revision: 0, rows: [], removed: [] };
    notices.publish({ topic, key: id, content });
  }
}

/** A line in a list of executions; times in epoch ms. */
function rowOf(execution: Execution): JsonMap {
  const { id, snapshot, state, attributes } = execution;
  const { correlationId } = attributes;
  return {
    workflowId: id,
    workflowName: snapshot.def.name,
    [ownedMember]: ownedJson(execution),
    workflowVersion: snapshot.def.version,
    status: state.status,
    startTime: state.createTime,
    updateTime: state.updateTime,
    endTime: state.endTime,
    ...(correlationId === undefined ? {} : { correlationId }),
  };
}

function detailOf(execution: Execution, changes: Changes): ExecutionDetail {
  const { id, snapshot, state } = execution;
  return {
    workflowName: snapshot.def.name,
    [ownedMember]: ownedJson(execution),
    revision: state.updateTime,
    head: outlineHead(execution),
    rows: [...changes.tasks.keys()].map((task) => outlineRow(id, task)),
    removed: [...changes.removedTasks].map((number) => taskIdOf(id, number)),
  };
}

function ownedJson(execution: Execution): Json {
  return asJson(present({ ...ownedOf(execution) }));
}

function mergeDetails(before: Json, now: Json): Json | undefined {
  const first = before as ExecutionDetail;
  const second = now as ExecutionDetail;
  const rows = new Map([...first.rows, ...second.rows].map((row) => [row[0], row]));
  for (const taskId of second.removed) rows.delete(taskId);
  if (rows.size > rowsMax) return undefined;
  return { ...second, rows: [...rows.values()], removed: [...first.removed, ...second.removed] };
}
