// Why an execution or a task does not go on (engine/why.ts): finds out what the queues know about
// the attempts that wait, then lets the engine explain. It reads the execution, then the queues,
// then the execution again; the second read gives the answer.
import { parseTaskId, taskIdOf, type ExecutionId } from '../std/ids.js';
import type { Caller } from '../model/caller.js';
import { AppError, noSuchWorkflow } from '../model/errors.js';
import type { Task } from '../model/execution.js';
import { isTerminalWorkflow } from '../model/status.js';
import type { WaitReason, WhyAnswer } from '../model/why-answers.js';
import type { QueueName } from '../engine/decision.js';
import type { OpenExecution } from '../engine/open-execution.js';
import { isWorkerTask } from '../engine/task-kinds.js';
import { shownTasks, why, whyTask, type AttemptFacts, type QueueFacts } from '../engine/why.js';
import { attemptLimits, queueDelay, queueOf } from '../engine/worker-queue.js';
import { queueKey } from '../queue/queue-key.js';
import type { Attempt, AttemptLimits } from '../store/queue-store.js';
import { taskShown } from '../access/execution-rights.js';
import { requireExecutionRight } from './access.js';
import type { ScriptShare } from '../sandbox/script-share.js';
import type { OperationContext } from './context.js';

/** Holders of slots named in one answer. */
const slotHoldersMax = 20;

/** Throws AppError 'not-found'. */
export async function whyWorkflow(
  context: OperationContext,
  caller: Caller,
  id: string,
): Promise<WhyAnswer> {
  const { executions, clock } = context;
  await requireExecutionRight(context, caller, 'READ', id);
  const asked = await executions.read(id, (open) =>
    questionsOf(open, shownTasks(open), clock.now()),
  );
  if (asked === undefined) throw noSuchWorkflow(id);
  const facts = await findFacts(context, asked);
  const answer = await executions.read(id, (open) => why(open, facts, clock.now()));
  if (answer === undefined) throw noSuchWorkflow(id);
  return withOwner(answer, executions.ownerTrouble(id));
}

/** An execution without an owner that can be reached waits for that above all. */
function withOwner(answer: WhyAnswer, trouble: string | undefined): WhyAnswer {
  if (trouble === undefined || isTerminalWorkflow(answer.status)) return answer;
  const owner = {
    kind: 'owner',
    reason: trouble,
    moves: 'A node of the cluster takes the shard, or the link is up again.',
    data: {},
  };
  return { ...answer, reason: trouble, waitsFor: [owner, ...answer.waitsFor] };
}

/** Throws AppError 'not-found'. */
export async function whyOfTask(
  context: OperationContext,
  caller: Caller,
  taskId: string,
): Promise<WaitReason> {
  const { executions, clock } = context;
  const target = parseTaskId(taskId);
  const notFound = new AppError('not-found', `Task not found for taskId: ${taskId}`);
  if (target === undefined) throw notFound;
  await requireExecutionRight(context, caller, 'READ', target.executionId, taskShown(taskId));
  const asked = await executions.read(target.executionId, (open) => {
    const task = open.byNumber.get(target.taskNumber);
    return task && questionsOf(open, [task], clock.now());
  });
  if (asked === undefined) throw notFound;
  const facts = await findFacts(context, asked);
  const answer = await executions.read(target.executionId, (open) => {
    const task = open.byNumber.get(target.taskNumber);
    return task && whyTask(open, task, facts, clock.now());
  });
  if (answer === undefined) throw notFound;
  return answer;
}

/** A worker's attempt about which its queue is asked. */
interface Question {
  readonly number: number;
  readonly queue: QueueName;
  readonly attempt: Attempt;
  readonly limits: AttemptLimits | undefined;
  readonly isLeased: boolean;
}

interface Questions {
  readonly executionId: ExecutionId;
  readonly share: ScriptShare;
  readonly list: readonly Question[];
}

function questionsOf(open: OpenExecution, tasks: readonly Task[], now: number): Questions {
  const { id } = open.execution;
  const list = tasks
    .filter(
      (task) => isWorkerTask(task) && open.openTasks.has(task) && queueDelay(task, now) <= now,
    )
    .map((task) => ({
      number: task.number,
      queue: queueOf(task),
      attempt: { taskId: taskIdOf(id, task.number), reopenCount: task.reopenCount },
      limits: attemptLimits(task),
      isLeased: task.status === 'IN_PROGRESS',
    }));
  const { attributes, snapshot } = open.execution;
  const share = { caller: attributes.createdBy ?? '', definition: snapshot.def.name };
  return { executionId: id, share, list };
}

async function findFacts(context: OperationContext, asked: Questions): Promise<QueueFacts> {
  const attempts = new Map<number, AttemptFacts>();
  await Promise.all(
    asked.list.map(async (question) => {
      const facts = question.isLeased
        ? await leaseFacts(context, question)
        : await waitingFacts(context, question);
      if (facts !== undefined) attempts.set(question.number, facts);
    }),
  );
  const queues = new Map(asked.list.map(({ queue }) => [queueKey(queue), queue]));
  const lastPolls = await context.pollData.lastPolls([...queues.values()]);
  const polls = new Map([...queues.keys()].map((key, i) => [key, lastPolls[i] ?? 0]));
  return {
    lastPollAt: (queue) => polls.get(queueKey(queue)) ?? 0,
    attempt: (task) => attempts.get(task.number),
    scriptQuota: context.scriptsHeldBy?.(asked.share),
  };
}

async function leaseFacts(
  context: OperationContext,
  { queue, attempt }: Question,
): Promise<AttemptFacts | undefined> {
  const [lease] = await context.queueStore.leases(queue, [attempt]);
  return lease === undefined ? undefined : { leaseEndAt: lease.endAt };
}

async function waitingFacts(
  context: OperationContext,
  { queue, attempt, limits }: Question,
): Promise<AttemptFacts> {
  const { queueStore, clock } = context;
  const [[ahead], use] = await Promise.all([
    queueStore.ahead(queue, [attempt]),
    limits === undefined
      ? undefined
      : queueStore.limitUse(queue, limits, { now: clock.now(), holdersMax: slotHoldersMax }),
  ]);
  return {
    ...(ahead === undefined ? {} : { ahead }),
    ...(use === undefined
      ? {}
      : { slotsUsed: use.slotsUsed, slotHolders: use.holders, rateOpensAt: use.opensAt }),
  };
}
