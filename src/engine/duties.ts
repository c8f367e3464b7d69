// Messages to other executions (invariants M5): recorded in the commit that decides them, delivered until confirmed.
import { createHash } from 'node:crypto';
import { type ExecutionId, executionIdOf } from '../std/ids.js';
import type { Duty, Task } from '../model/execution.js';
import type { Transition } from './transition.js';

type WithoutId<D> = D extends unknown ? Omit<D, 'id'> : never;

/** Records a message and releases it. */
export function addDuty(t: Transition, fields: WithoutId<Duty>): Duty {
  const { progress, duties } = t.execution;
  const duty = { ...fields, id: ++progress.dutyCounter } as Duty;
  duties.set(duty.id, duty);
  t.changes.dutiesAdded.add(duty.id);
  t.emit({ kind: 'duty', duty });
  return duty;
}

/** Strikes a message off. */
export function removeDuty(t: Transition, id: number): void {
  if (!t.execution.duties.delete(id)) return;
  if (!t.changes.dutiesAdded.delete(id)) t.changes.dutiesRemoved.add(id);
}

/**
 * Id of what an attempt starts: derived from the attempt, so that a repeated start meets the same execution (invariants M6).
 * The shard bits come from the digest as well.
 */
export function startedIdOf(t: Transition, task: Task): ExecutionId {
  return derivedId(
    `${t.execution.id}|${task.ref}|${task.number}|${task.revival}|${task.retryCount}`,
  );
}

/** Id of the failure workflow of this run of the execution. */
export function failureWorkflowIdOf(t: Transition): ExecutionId {
  const { generation, dutyCounter } = t.execution.progress;
  return derivedId(`${t.execution.id}|failure|${generation}|${dutyCounter}`);
}

function derivedId(text: string): ExecutionId {
  const digest = createHash('sha256').update(text).digest();
  return executionIdOf(digest.readUInt16BE(0), digest.subarray(2));
}
