// The entry of an execution in the due set of its partition, and its mark in the dirty set: what
// makes it go on without anybody asking (invariants I11, I14). A stored wake-up may be earlier than
// needed, never later.
import { keptSince } from '../model/retention.js';
import { isTerminalTask, isTerminalWorkflow } from '../model/status.js';
import { deadlineKinds, deadlineOf, workflowDeadline } from '../engine/deadlines.js';
import type { OpenExecution } from '../engine/open-execution.js';
import { nextWakeAt } from '../engine/wake-up.js';
import { dueScore, noWakeUp, placeOf, readDue } from '../redis/codec/scores.js';
import type { FsckParts } from './check.js';
import type { Finding } from './finding.js';
import type { ReadExecution } from './read-execution.js';
import { wakeOwner } from './wake-owner.js';

export async function checkTimers(parts: FsckParts, read: ReadExecution): Promise<Finding[]> {
  const { id, shard, partition, shortId, key } = read;
  const { keys } = parts.reader.redis;
  const [due, mark] = await parts.reader.scores([
    { key: keys.due(partition), member: shortId },
    { key: keys.dirty(partition), member: shortId },
  ]);
  const findings = [
    ...dueFindings(parts, read, due, mark !== undefined),
    ...endFindings(parts, read),
  ];
  if (mark !== shard && needsMark(read)) {
    findings.push({
      kind: 'mark-missing',
      subject: id,
      keys: [keys.dirty(partition), key],
      sentence: `Execution ${id} has work that the next owner must take up, and no mark says so`,
      mend: () => wakeOwner(parts, read),
    });
  }
  return findings;
}

/** Open outbox messages, or a transition that stopped half-way. */
function needsMark({ stored, open }: ReadExecution): boolean {
  const { outbox, state } = stored.execution;
  return !stored.compact && (outbox.size > 0 || state.unsettled || open.isBusy);
}

function dueFindings(
  parts: FsckParts,
  read: ReadExecution,
  score: number | undefined,
  isMarked: boolean,
): Finding[] {
  const { id, shard, partition, key, stored } = read;
  const { keys } = parts.reader.redis;
  const { state } = stored.execution;
  const isFinished =
    stored.compact || (isTerminalWorkflow(state.status) && !needsMark(read) && !isMarked);
  const common = {
    subject: id,
    keys: [keys.due(partition), key],
    mend: () => setDue(parts, read, isFinished),
  };
  if (score === undefined || placeOf(score) !== keys.placeOf(shard)) {
    const sentence = `Execution ${id} has no entry in the due set of its shard`;
    return [{ ...common, kind: 'timer-missing', sentence }];
  }
  const entry = readDue(score);
  if ((entry.state === 'finished') !== isFinished) {
    const sentence = `Execution ${id} is ${state.status} and stands as ${entry.state} in the due set`;
    return isFinished || entry.state === 'finished'
      ? [{ ...common, kind: 'timer-late', sentence }]
      : [];
  }
  const wantedAt = isFinished || read.open.isBusy ? 0 : wakeUpOf(read.open, parts.now());
  if (wantedAt === 0 || (entry.wakeAt !== 0 && entry.wakeAt <= wantedAt)) return [];
  const stands = entry.wakeAt === 0 ? 'no wake-up' : `a wake-up at ${entry.wakeAt}`;
  const sentence = `Execution ${id} must wake up at ${wantedAt} and has ${stands}`;
  return [{ ...common, kind: 'timer-late', sentence }];
}

function setDue(parts: FsckParts, read: ReadExecution, isFinished: boolean): Promise<boolean> {
  const { shard, partition, shortId, key, stored, open } = read;
  const { keys } = parts.reader.redis;
  const goesAt = keptSince(stored.execution) + parts.retentionMs;
  const wakeAt = isFinished ? goesAt : wakeUpOf(open, parts.now());
  const score = dueScore(keys.placeOf(shard), isFinished, wakeAt === 0 ? noWakeUp : wakeAt);
  const command = ['ZADD', keys.due(partition), String(score), shortId] as const;
  return parts.reader.mend({ key, head: stored.head }, [command]);
}

/**
 * When the execution wants to be woken; 0: never. Deadlines that have come and are only counted
 * (ALERT_ONLY) leave no trace in the record: they are taken for counted.
 */
function wakeUpOf(open: OpenExecution, now: number): number {
  const { def } = open.execution.snapshot;
  const isPast = (at: number): boolean => at !== 0 && at <= now;
  if (def.timeoutPolicy === 'ALERT_ONLY' && isPast(workflowDeadline(open.execution))) {
    open.alerted.add('workflow');
  }
  for (const task of open.openTasks) {
    if (task.config.taskDefinition?.timeoutPolicy !== 'ALERT_ONLY') continue;
    for (const kind of deadlineKinds) {
      if (isPast(deadlineOf(task, open.types.of(task), kind))) {
        open.alerted.add(`${task.number}:${kind}`);
      }
    }
    open.arm(task);
  }
  return nextWakeAt(open);
}

/** Nothing is open once an execution has ended (invariants I4). */
function endFindings(parts: FsckParts, read: ReadExecution): Finding[] {
  const { id, key, stored } = read;
  const { state, tasks } = stored.execution;
  const open = tasks.filter(({ status }) => !isTerminalTask(status));
  if (!isTerminalWorkflow(state.status) || open.length === 0) return [];
  if (!stored.compact && needsMark(read) && stored.dirty) return [];
  const [first] = open;
  return [
    {
      kind: 'terminal-open-tasks',
      subject: id,
      keys: [key],
      sentence:
        `Execution ${id} is ${state.status} and has ${open.length} open tasks, ` +
        `the first is ${first?.ref}`,
      ...(stored.compact ? {} : { mend: () => wakeOwner(parts, read), byOwner: true }),
    },
  ];
}
