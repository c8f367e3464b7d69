// The open worker tasks of an execution are where workers get them: SCHEDULED ones in their queue
// or leased, IN_PROGRESS ones leased (invariants I6, I14).
import { groupBy } from '../std/group-by.js';
import { taskIdOf } from '../std/ids.js';
import type { Task } from '../model/execution.js';
import { isTerminalWorkflow } from '../model/status.js';
import { isWorkerTask } from '../engine/task-kinds.js';
import { attemptLimits, queueDelay, queueOf } from '../engine/worker-queue.js';
import { queueKey } from '../queue/queue-key.js';
import { memberOf, openLeaseRecord } from '../redis/codec/queue-record.js';
import { packEnvelope } from '../redis/codec/envelope.js';
import type { Mending } from '../redis/keyspace-reader.js';
import type { Attempt } from '../store/queue-store.js';
import type { FsckParts } from './check.js';
import type { Finding } from './finding.js';
import type { ReadExecution } from './read-execution.js';

export async function checkQueues(parts: FsckParts, read: ReadExecution): Promise<Finding[]> {
  const { stored, open } = read;
  if (stored.compact || isTerminalWorkflow(stored.execution.state.status)) return [];
  // A lease that a commit gave is in the record, not in the queue (invariants M8).
  const tasks = [...open.openTasks].filter(
    (task) => isWorkerTask(task) && task.lease === undefined,
  );
  const findings: Finding[] = [];
  for (const group of groupBy(tasks, (task) => queueKey(queueOf(task))).values()) {
    findings.push(...(await checkGroup(parts, read, group)));
  }
  return findings;
}

/** Tasks of one queue. Waiting tasks are asked for first: what a poll takes meanwhile is leased. */
async function checkGroup(
  parts: FsckParts,
  read: ReadExecution,
  tasks: readonly Task[],
): Promise<Finding[]> {
  const { id, key } = read;
  const { keys } = parts.reader.redis;
  const queue = queueOf(tasks[0] as Task);
  const attempts = tasks.map((task) => attemptOf(read, task));
  const waiting = await parts.queues.contains(queue, attempts);
  const leases = await parts.queues.leases(queue, attempts);
  return tasks.flatMap((task, i): Finding[] => {
    if (waiting[i] === true || leases[i] !== undefined) return [];
    const { taskId } = attempts[i] as Attempt;
    const common = { subject: taskId, keys: [keys.ready(queue), keys.leases(queue), key] };
    if (task.status === 'SCHEDULED') {
      const sentence = `Task ${task.ref} of execution ${id} is SCHEDULED and its queue has lost it`;
      return [{ ...common, kind: 'queue-missing', sentence, mend: () => push(parts, read, task) }];
    }
    const sentence = `Task ${task.ref} of execution ${id} is IN_PROGRESS without a lease`;
    const mend = (): Promise<unknown> => lease(parts, read, task);
    return [{ ...common, kind: 'lease-missing', sentence, mend }];
  });
}

function attemptOf({ id }: ReadExecution, task: Task): Attempt {
  return { taskId: taskIdOf(id, task.number), reopenCount: task.reopenCount };
}

/** As the owner of the execution does it. */
async function push(parts: FsckParts, read: ReadExecution, task: Task): Promise<void> {
  const { load } = parts.executions;
  const now = await load.call(parts.executions, read.shard, read.id);
  const same = now?.execution.tasks.find(({ number }) => number === task.number);
  if (same?.status !== 'SCHEDULED' || same.reopenCount !== task.reopenCount) return;
  await parts.queues.push([
    {
      queue: queueOf(task),
      attempt: attemptOf(read, task),
      priority: read.stored.execution.attributes.priority,
      visibleAt: queueDelay(task, parts.now()),
      limits: attemptLimits(task),
      givenBackAtPoll: 0,
    },
  ]);
}

/**
 * Gives the worker its lease back, as long as it was or, when that is over, until now: its end is a
 * response timeout. A slot of a limit is not taken again: it may be another one's by now.
 */
function lease(parts: FsckParts, read: ReadExecution, task: Task): Promise<boolean> {
  const { reader, now } = parts;
  const { keys } = reader.redis;
  const queue = queueOf(task);
  const attempt = attemptOf(read, task);
  const member = memberOf(attempt);
  const lengthMs = task.responseTimeoutSeconds * 1000;
  const endAt = lengthMs > 0 ? Math.max(task.updateAt, task.startAt) + lengthMs : 0;
  const record = openLeaseRecord({
    attempt,
    leaseNumber: now() * 1000,
    workerId: task.workerId,
    startAt: task.startAt,
    pollCount: task.pollCount,
    endAt,
  });
  // The last field is the score in ready, which a lease that has ended would go back to.
  const bytes = Buffer.concat([record, packEnvelope(0)]);
  const commands: Mending[] = [['HSET', keys.leases(queue), member, bytes]];
  if (endAt !== 0) commands.push(['ZADD', keys.leaseEnds(queue), String(endAt), member]);
  const basis = { key: keys.leases(queue), field: member, value: undefined };
  return reader.mend(basis, commands);
}
