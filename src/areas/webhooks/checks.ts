// Checks of what webhooks store: events stand in the hash and in the order of what is due, and the
// index of waiting tasks knows those that wait (invariants I14).
import type { Check, FsckParts } from '../../fsck/check.js';
import { orderedHashCheck } from '../../fsck/ordered-hash.js';
import type { Finding } from '../../fsck/finding.js';
import type { ReadExecution } from '../../fsck/read-execution.js';
import { inputOf } from '../../engine/derived-payloads.js';
import type { Task } from '../../model/execution.js';
import { taskIdOf } from '../../std/ids.js';
import { WebhookKeys } from './keys.js';
import { RedisWebhookWaitStore } from './redis-wait-store.js';
import { targetOf, waitsForWebhook } from './wait-target.js';

export const webhookFindings = {
  'webhook-event-unlisted': 'I14',
  'webhook-event-orphan': 'I14',
  'webhook-wait-missing': 'I14',
} as const;

type Kind = keyof typeof webhookFindings;

export function webhookChecks(parts: FsckParts): readonly Check<string>[] {
  const keys = new WebhookKeys(parts.reader.redis.keys.prefix);
  const check = orderedHashCheck(parts, {
    name: 'events of webhooks',
    hash: keys.events(),
    order: keys.eventsDue(),
    unlisted: 'webhook-event-unlisted' satisfies Kind,
    orphan: 'webhook-event-orphan' satisfies Kind,
    what: 'event of a webhook',
    listing: (id) => [['ZADD', keys.eventsDue(), String(parts.now()), id]],
  });
  return [check];
}

/** A call of a webhook finds the tasks that wait for it. */
export async function checkWaits(parts: FsckParts, read: ReadExecution): Promise<Finding[]> {
  const waiting = read.stored.compact ? [] : [...read.open.openTasks].filter(waitsForWebhook);
  return (await Promise.all(waiting.map((task) => checkWait(parts, read, task)))).flat();
}

async function checkWait(
  { reader: { redis } }: FsckParts,
  { id, key, open }: ReadExecution,
  task: Task,
): Promise<Finding[]> {
  const waits = new RedisWebhookWaitStore(redis);
  const { def } = open.execution.snapshot;
  const taskId = taskIdOf(id, task.number);
  const target = targetOf({
    workflowName: def.name,
    workflowVersion: def.version,
    ref: task.ref,
    input: inputOf(open, task).value,
    parameters: task.config.inputParameters,
  });
  if ('refused' in target) return [];
  const [waiting = []] = await waits.waiting([target]);
  if (waiting.includes(taskId)) return [];
  return [
    {
      kind: 'webhook-wait-missing' satisfies Kind,
      subject: taskId,
      keys: [new WebhookKeys(redis.keys.prefix).shapes(def.name, def.version), key],
      sentence: `No call of a webhook can find task ${task.ref} of execution ${id}, which waits for one`,
      mend: () => waits.register(target, taskId),
    },
  ];
}
