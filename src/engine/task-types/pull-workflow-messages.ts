// PULL_WORKFLOW_MESSAGES (semantics 4.22, 1.8): takes waiting messages of the execution, oldest
// first, in the same transition in which it completes, so that none is lost.
import { reachesNothing } from '../reaches.js';
import type { Json } from '../../model/json.js';
import { Payload } from '../../model/payload.js';
import { plainInput } from '../mapping.js';
import { endTask } from '../records.js';
import { reason, shown, untilTimeout } from '../wait-reason.js';
import type { TaskType } from './contract.js';
import { conditionType } from './constructors.js';
import { createInline } from './inline-run.js';

const batchSizeMax = 100;

export const pullWorkflowMessagesTask: TaskType = conditionType({
  names: ['PULL_WORKFLOW_MESSAGES'],
  reaches: reachesNothing,
  map(t, site) {
    createInline(t, site, plainInput(t, site, false));
  },
  execute(t, task) {
    const { execution } = t;
    const { batchSize, blocking } = task.input.value;
    if (execution.messages.length === 0 && blocking !== false) return 'done';
    const taken = execution.messages.splice(0, batchSizeOf(batchSize));
    if (taken.length > 0) t.changes.messages = true;
    const messages: Json[] = taken.map(({ id, payload, receivedAt }) => ({
      id,
      workflowId: execution.id,
      payload,
      receivedAt: new Date(receivedAt).toISOString(),
    }));
    const output = Payload.of({ messages, count: messages.length });
    endTask(t, task, { status: 'COMPLETED', output });
    return 'done';
  },
  isDue: (open) => open.execution.messages.length > 0,
  takesMessages: true,
  waitsForOutside: () => true,
  whyWaits(open, task) {
    return reason(open, task, 'message', {
      reason: `${shown(task)} waits for a message to this execution.`,
      moves: `POST /api/workflow/${open.execution.id}/messages`,
      ...untilTimeout(open, task),
      data: {},
    });
  },
});

function batchSizeOf(value: Json | undefined): number {
  const size = Number(typeof value === 'string' || typeof value === 'number' ? value : 1);
  return Number.isInteger(size) ? Math.min(Math.max(1, size), batchSizeMax) : 1;
}
