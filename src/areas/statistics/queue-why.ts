// Says why a queue does not move, and what would move it: as `why` answers for an execution and for
// a task (contract-core 23.1), with the holders of a full limit and the moment when a rate window
// opens.
import { executionOf } from '../../std/ids.js';
import type { Caller } from '../../model/caller.js';
import type { QueueWhy, WaitReason } from '../../model/why-answers.js';
import type { QueueName } from '../../engine/decision.js';
import type { AttemptLimits, LimitUse } from '../../store/queue-store.js';
import type { OperationContext } from '../../operation/context.js';
import { toQueue } from '../../operation/poll-tasks.js';
import { queueStats, type QueueStats } from './queue-stats.js';

/** Holders of a limit that one answer names. */
const holdersMax = 20;

/** A queue that the caller may not see looks empty (invariants S16). */
export async function whyQueue(
  context: OperationContext,
  caller: Caller,
  { taskType, domain }: { readonly taskType: string; readonly domain: string },
): Promise<QueueWhy> {
  const all = await queueStats(context, caller);
  const stats = all.find((each) => each.taskType === taskType && each.domain === domain);
  if (stats === undefined || stats.waiting === 0) {
    return { waiting: 0, leased: stats?.leased ?? 0, reason: 'No task waits.', waitsFor: [] };
  }
  const { waiting, leased } = stats;
  const held = [...worker(stats), ...(await limits(context, toQueue(taskType, domain)))];
  const reason = held[0]?.reason ?? stats.reason;
  const waitsFor = [...held, ...definition(stats)];
  return { waiting, leased, reason, waitsFor };
}

/** The limit has its own reason, with its holders. */
function worker({ kind, reason, moves, workers }: QueueStats): WaitReason[] {
  if (kind === undefined || kind === 'limit-full') return [];
  const lastPollTime = workers[0]?.lastPollTime;
  const data = lastPollTime === undefined ? {} : { lastPollTime };
  return [{ kind, reason, moves, data }];
}

async function limits(context: OperationContext, queue: QueueName): Promise<WaitReason[]> {
  const asked = limitsOf(context, queue.taskType);
  if (asked === undefined) return [];
  const now = context.clock.now();
  const use = await context.queueStore.limitUse(queue, asked, { now, holdersMax });
  return [...fullLimit(asked, use), ...closedWindow(asked, use)];
}

/** Of the definition as it is now; undefined: it has none. */
function limitsOf({ definitions }: OperationContext, taskType: string): AttemptLimits | undefined {
  const definition = definitions.taskDef(taskType);
  if (definition === undefined) return undefined;
  const { concurrentExecLimit = 0, rateLimitPerFrequency } = definition;
  if (concurrentExecLimit === 0 && rateLimitPerFrequency === 0) return undefined;
  return {
    ...{ defName: taskType, concurrentExecLimit, rateLimitPerFrequency },
    rateLimitFrequencyInSeconds: definition.rateLimitFrequencyInSeconds,
  };
}

function fullLimit({ concurrentExecLimit: max }: AttemptLimits, use: LimitUse): WaitReason[] {
  const used = use.slotsUsed;
  if (max === 0 || used < max) return [];
  const holders = use.holders.map((taskId) => ({ taskId, workflowId: executionOf(taskId) }));
  return [
    {
      kind: 'limit-full',
      reason: `As many tasks run as may run at once, ${max}.`,
      moves: 'one of the running tasks must end, or a higher concurrentExecLimit',
      data: { used, max, holders },
    },
  ];
}

function closedWindow(asked: AttemptLimits, { opensAt }: LimitUse): WaitReason[] {
  if (opensAt === 0) return [];
  const { rateLimitPerFrequency: max, rateLimitFrequencyInSeconds: seconds } = asked;
  return [
    {
      kind: 'rate-window',
      reason: `${max} tasks were handed out within ${seconds} s, as many as may be.`,
      moves: 'the rate window opens by itself',
      untilTime: opensAt,
      data: { max, seconds },
    },
  ];
}

function definition({ taskType, hasDefinition }: QueueStats): WaitReason[] {
  if (hasDefinition) return [];
  return [
    {
      kind: 'no-definition',
      reason: `${taskType} has no task definition: it runs without retries and limits.`,
      moves: 'nothing needs to; a task definition adds retries and limits',
      data: {},
    },
  ];
}
