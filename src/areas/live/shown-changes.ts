// Filters changes for a caller: events whose subject it may not read are left out (contract-admin
// 6.4, 10.8).
import type { AccessRules } from '../../access/access-rules.js';
import type { OwnedExecution } from '../../access/owned-execution.js';
import type { Caller } from '../../model/caller.js';
import type { Json, JsonMap } from '../../model/json.js';
import { textFrom, toJsonText } from '../../model/json-text.js';
import { isMap } from '../../model/record-reader.js';
import type { TopicChange } from '../../placement/topic-notices.js';
import { readableOwned } from '../../operation/access.js';
import { ownedMember } from '../../operation/live/execution-changes.js';
import { isInInbox, type InboxContent } from '../../operation/live/inbox-changes.js';
import type { Topic } from '../../operation/live/topics.js';

/** The data of one event of the topic for this caller; undefined when it may see none of it. */
export function shownData(
  access: AccessRules,
  caller: Caller,
  topic: Topic,
  changes: readonly TopicChange[],
): string | undefined {
  const isReadable = readableOwned(access, caller);
  const seen = (): JsonMap[] =>
    changes.flatMap(({ content }): JsonMap[] => {
      const { [ownedMember]: owned, ...shown } = content as JsonMap;
      return isReadable(ownedIn(owned, shown)) ? [shown] : [];
    });
  switch (topic.kind) {
    case 'execution': {
      const [change] = seen();
      return change && toJsonText({ topic: topic.name, ...change });
    }
    case 'executions': {
      const shown = seen();
      return shown.length === 0 ? undefined : toJsonText({ topic: topic.name, changes: shown });
    }
    case 'inbox': {
      const tasks = changes.flatMap(({ content }) => shownTask(caller, content as InboxContent));
      return tasks.length === 0 ? undefined : toJsonText({ topic: topic.name, tasks });
    }
    default:
      return undefined;
  }
}

/** A node of an earlier version tells the name alone. */
function ownedIn(owned: Json | undefined, { workflowName }: JsonMap): OwnedExecution {
  if (isMap(owned)) return owned as unknown as OwnedExecution;
  return { name: textFrom(workflowName), startedAt: Infinity };
}

/** Of a task that has left the caller's inbox only that. */
function shownTask(caller: Caller, { taskId, now, before }: InboxContent): JsonMap[] {
  if (now !== null && isInInbox(caller, now)) {
    const { state, workflowId, workflowName, taskRefName } = now;
    return [{ taskId, state, workflowId, workflowName, taskRefName }];
  }
  return before !== null && isInInbox(caller, before) ? [{ taskId, state: 'GONE' }] : [];
}
