// The members of task queues: each is an attempt that is wanted and stands in one place, each lease
// has its end, and every queue is in the list of queues (invariants I5, I7, M8, M9).
import { isTerminalTask, isTerminalWorkflow } from '../model/status.js';
import type { Task } from '../model/execution.js';
import type { QueueName } from '../engine/decision.js';
import { isWorkerTask } from '../engine/task-kinds.js';
import { queueOf } from '../engine/worker-queue.js';
import { queueKey } from '../queue/queue-key.js';
import { decodeLease, parseMember, parseQueueText } from '../redis/codec/queue-record.js';
import { executionOf, numberOf } from '../std/ids.js';
import type { Check, FsckParts, Suspect } from './check.js';
import type { Finding } from './finding.js';
import { loadReadable } from './readable.js';

interface MemberPlace {
  readonly queue: QueueName;
  readonly member: string;
}

/** Where the store has a member. */
interface MemberState extends MemberPlace {
  readonly isReady: boolean;
  readonly isHidden: boolean;
  readonly lease: Buffer | undefined;
  readonly leaseEnd: number | undefined;
  readonly hasLimits: boolean;
}

export function queueMembersCheck(parts: FsckParts): Check<MemberPlace> {
  const { reader } = parts;
  return {
    name: 'queues',
    async *walk() {
      const { keys } = reader.redis;
      for await (const texts of reader.elements(keys.queues())) {
        for (const queue of texts.map(parseQueueText)) yield* membersOf(parts, queue);
      }
    },
    async inspect(places) {
      const suspects: Suspect<MemberPlace>[] = [];
      for (const place of places) {
        const state = await stateOf(parts, place);
        for (const finding of await judge(parts, state)) {
          suspects.push({ subject: place, finding });
        }
      }
      return suspects;
    },
  };
}

async function* membersOf(parts: FsckParts, queue: QueueName): AsyncGenerator<MemberPlace[]> {
  const { reader } = parts;
  const { keys } = reader.redis;
  for (const key of [keys.ready(queue), keys.hidden(queue), keys.leaseEnds(queue)]) {
    for await (const some of reader.members(key)) {
      yield some.map(({ member }) => ({ queue, member }));
    }
  }
  for (const key of [keys.leases(queue), keys.memberLimits(queue)]) {
    for await (const some of reader.fields(key)) {
      yield some.map(({ field }) => ({ queue, member: field }));
    }
  }
}

async function stateOf({ reader }: FsckParts, place: MemberPlace): Promise<MemberState> {
  const { keys } = reader.redis;
  const { queue, member } = place;
  const [ready, hidden, leaseEnd] = await reader.scores([
    { key: keys.ready(queue), member },
    { key: keys.hidden(queue), member },
    { key: keys.leaseEnds(queue), member },
  ]);
  const [lease] = await reader.values(keys.leases(queue), [member]);
  const [limits] = await reader.values(keys.memberLimits(queue), [member]);
  return {
    ...place,
    isReady: ready !== undefined,
    isHidden: hidden !== undefined,
    lease,
    leaseEnd,
    hasLimits: limits !== undefined,
  };
}

async function judge(parts: FsckParts, state: MemberState): Promise<Finding[]> {
  const { keys } = parts.reader.redis;
  const { queue, member, isReady, isHidden, lease } = state;
  const attempt = parseMember(member);
  const isWanted = await wanted(parts, state);
  const stands = isReady || isHidden || lease !== undefined;
  if (stands && !isWanted) {
    const { taskId } = attempt;
    const key = isReady ? keys.ready(queue) : isHidden ? keys.hidden(queue) : keys.leases(queue);
    return [
      {
        kind: 'queue-orphan',
        subject: taskId,
        keys: [key],
        sentence: `The queue ${shown(queue)} has ${taskId}, which is no open task of that queue`,
        mend: () => removeUnwanted(parts, state),
      },
    ];
  }
  return [...placeFindings(parts, state), ...leaseFindings(parts, state)];
}

async function removeUnwanted(parts: FsckParts, state: MemberState): Promise<void> {
  if (await wanted(parts, state)) return;
  await parts.queues.finish(state.queue, [parseMember(state.member)]);
}

/** Whether the member is an open attempt of that queue. */
async function wanted(parts: FsckParts, { queue, member }: MemberPlace): Promise<boolean> {
  const { taskId, reopenCount } = parseMember(member);
  const stored = await loadReadable(parts, executionOf(taskId));
  if (stored === undefined || isTerminalWorkflow(stored.execution.state.status)) return false;
  const task = stored.execution.tasks.find(({ number }) => number === numberOf(taskId));
  return task !== undefined && task.reopenCount === reopenCount && isOpenIn(queue, task);
}

function isOpenIn(queue: QueueName, task: Task): boolean {
  return (
    !isTerminalTask(task.status) &&
    isWorkerTask(task) &&
    queueKey(queueOf(task)) === queueKey(queue)
  );
}

/** One place at a time: a lease goes before ready, and ready before hidden. */
function placeFindings({ reader }: FsckParts, state: MemberState): Finding[] {
  const { queue, member, isReady, isHidden, lease, hasLimits } = state;
  const { keys } = reader.redis;
  const { taskId } = parseMember(member);
  const basis = { key: keys.leases(queue), field: member, value: lease };
  const findings: Finding[] = [];
  if ([isReady, isHidden, lease !== undefined].filter(Boolean).length > 1) {
    const mend = (): Promise<boolean> =>
      reader.mend(basis, [
        ['ZREM', keys.hidden(queue), member],
        ...(lease === undefined ? [] : [['ZREM', keys.ready(queue), member] as const]),
      ]);
    findings.push({
      kind: 'queue-twice',
      subject: taskId,
      keys: [
        ...(isReady ? [keys.ready(queue)] : []),
        ...(isHidden ? [keys.hidden(queue)] : []),
        ...(lease === undefined ? [] : [keys.leases(queue)]),
      ],
      sentence: `The queue ${shown(queue)} has ${taskId} in several places`,
      mend,
    });
  }
  if (hasLimits && !isReady && !isHidden) {
    findings.push({
      kind: 'limits-orphan',
      subject: taskId,
      keys: [keys.memberLimits(queue)],
      sentence: `The queue ${shown(queue)} keeps limits of ${taskId}, which does not wait there`,
      mend: () => reader.mend(basis, [['HDEL', keys.memberLimits(queue), member]]),
    });
  }
  return findings;
}

function leaseFindings({ reader }: FsckParts, state: MemberState): Finding[] {
  const { queue, member, lease, leaseEnd } = state;
  const { keys } = reader.redis;
  const attempt = parseMember(member);
  const basis = { key: keys.leases(queue), field: member, value: lease };
  const endAt = lease === undefined ? 0 : decodeLease(attempt, lease).endAt;
  const common = { subject: attempt.taskId, keys: [keys.leases(queue), keys.leaseEnds(queue)] };
  if (lease === undefined && leaseEnd !== undefined) {
    return [
      {
        ...common,
        kind: 'lease-end-orphan',
        sentence: `The queue ${shown(queue)} has the end of a lease of ${attempt.taskId} without the lease`,
        mend: () => reader.mend(basis, [['ZREM', keys.leaseEnds(queue), member]]),
      },
    ];
  }
  if (endAt === 0 || leaseEnd !== undefined) return [];
  return [
    {
      ...common,
      kind: 'lease-end-missing',
      sentence: `Nobody notices the end of the lease of ${attempt.taskId} in the queue ${shown(queue)}`,
      mend: () => reader.mend(basis, [['ZADD', keys.leaseEnds(queue), String(endAt), member]]),
    },
  ];
}

function shown({ taskType, domain }: QueueName): string {
  return domain === undefined ? taskType : `${domain}:${taskType}`;
}
