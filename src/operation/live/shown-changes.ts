// What a caller sees of changes: events whose subject it may not read are left out (contract-admin
// 6.4, 10.8).
import type { AccessRules } from '../../access/access-rules.js';
import type { Caller } from '../../model/caller.js';
import type { Json, JsonMap } from '../../model/json.js';
import { textFrom, toJsonText } from '../../model/json-text.js';
import type { TopicChange } from '../../placement/topic-notices.js';
import { readableWorkflows } from '../access.js';
import { isInInbox, type InboxContent } from './inbox-changes.js';
import type { Topic } from './topics.js';

/** The data of one event of the topic for this caller; undefined when it may see none of it. */
export function shownData(
  access: AccessRules,
  caller: Caller,
  topic: Topic,
  changes: readonly TopicChange[],
): string | undefined {
  const isReadable = readableWorkflows(access, caller);
  const seen = changes.filter(({ content }) => isReadable(nameIn(content)));
  switch (topic.kind) {
    case 'execution': {
      const [change] = seen;
      return change && toJsonText({ topic: topic.name, ...(change.content as JsonMap) });
    }
    case 'executions': {
      if (seen.length === 0) return undefined;
      return toJsonText({ topic: topic.name, changes: seen.map(({ content }) => content) });
    }
    case 'inbox': {
      const tasks = changes.flatMap(({ content }) => shownTask(caller, content as InboxContent));
      return tasks.length === 0 ? undefined : toJsonText({ topic: topic.name, tasks });
    }
    default:
      return undefined;
  }
}

function nameIn(content: Json): string {
  return textFrom((content as JsonMap)['workflowName']);
}

/** Of a task that has left the caller's inbox only that. */
function shownTask(caller: Caller, { taskId, now, before }: InboxContent): JsonMap[] {
  if (now !== null && isInInbox(caller, now)) {
    const { state, workflowId, workflowName, taskRefName } = now;
    return [{ taskId, state, workflowId, workflowName, taskRefName }];
  }
  return before !== null && isInInbox(caller, before) ? [{ taskId, state: 'GONE' }] : [];
}
