// Tells inboxes which human tasks have changed. An inbox hears of a task that it shows now, and of
// one that it showed before: what the task was is remembered for a while. A task that was forgotten
// and leaves an inbox unseen disappears there with the next search.
import type { Caller } from '../../model/caller.js';
import type { HumanState, HumanTaskEntry } from '../../model/human/human-entry.js';
import type { HumanUser } from '../../model/human/human-definition.js';
import type { Json } from '../../model/json.js';
import type { TopicNotices } from '../../placement/topic-notices.js';
import { Lru } from '../../std/lru.js';
import { visibleTo } from '../../model/human/visible-to.js';
import { inboxTopic } from './topics.js';

/** The facts that decide whose inbox shows a task, and those that are told of it. */
export type InboxTask = {
  state: HumanState;
  workflowId: string;
  workflowName: string;
  taskRefName: string;
  createdBy: string;
  assignee?: HumanUser & { [key: string]: string };
  claimant?: HumanUser & { [key: string]: string };
  claimedBy?: string;
};

/** A change; null: no such task. */
export type InboxContent = {
  taskId: string;
  now: InboxTask | null;
  before: InboxTask | null;
};

const tasksRememberedMax = 10_000;

export class InboxChanges {
  readonly #before = new Lru<string, InboxTask>(tasksRememberedMax);

  constructor(private readonly notices: TopicNotices) {}

  /** `entry`: the task as it is stored now; undefined: removed. */
  changed(taskId: string, entry: HumanTaskEntry | undefined): void {
    if (!this.notices.isWanted(inboxTopic)) return;
    const before = this.#before.get(taskId) ?? null;
    const now = entry === undefined ? null : taskOf(entry);
    if (now === null) this.#before.delete(taskId);
    else this.#before.set(taskId, now);
    const content: InboxContent = { taskId, now, before };
    this.notices.publish({ topic: inboxTopic, key: taskId, content }, mergeInbox);
  }
}

/** One change of two: readers that saw the task before the first one hear that it has gone. */
export function mergeInbox(first: Json, second: Json): InboxContent {
  return { ...(second as InboxContent), before: (first as InboxContent).before };
}

/** Whether the caller's inbox shows the task (contract-admin 10.8). */
export function isInInbox(caller: Caller, task: InboxTask): boolean {
  return visibleTo(caller, 'INBOX')?.(task) ?? true;
}

function taskOf(entry: HumanTaskEntry): InboxTask {
  const { state, workflowId, workflowName, taskRefName, createdBy, assignee } = entry;
  const { claimant, claimedBy } = entry;
  return {
    ...{ state, workflowId, workflowName, taskRefName, createdBy },
    ...(assignee === undefined ? {} : { assignee: { ...assignee } }),
    ...(claimant === undefined ? {} : { claimant: { ...claimant } }),
    ...(claimedBy === undefined ? {} : { claimedBy }),
  };
}
