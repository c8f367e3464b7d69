// Execution and task ids (architecture section 3): UUIDs of version 8 with 122 free bits, 16 bits
// of shard first, then 74 bits of the execution, then 32 bits of task number. Task number 0 is the
// execution itself. So the workflow id decides the shard, and a task id names its execution and
// needs no index.
//
//   ssss rrrr - rrrr - 8rrr - vrrr - rrrr nnnn nnnn (hex; v carries the two variant bits, r the
//   random part)

/** Ids are plain strings on the wire; these brands keep them from being mixed up inside. */
export type ExecutionId = string & { readonly brand: 'ExecutionId' };
export type TaskId = string & { readonly brand: 'TaskId' };

export const taskNumberMax = 0xffffffff;

const pattern = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/**
 * Builds an execution id from its shard (0 to 65535) and at least 10 bytes of randomness or of a
 * digest; the same bytes give the same id (invariants M6).
 */
export function executionIdOf(shard: number, bytes: Uint8Array): ExecutionId {
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, 10).toString('hex');
  const variant = '89ab'[(bytes[9] as number) & 3] as string;
  const head = shard.toString(16).padStart(4, '0');
  return `${head}${hex.slice(0, 4)}-${hex.slice(4, 8)}-8${hex.slice(8, 11)}-${variant}${hex.slice(
    11,
    14,
  )}-${hex.slice(14, 18)}00000000` as ExecutionId;
}

/** Ends of the first task ids: most executions have few tasks, and an id is made thrice a task. */
const firstEnds = Array.from({ length: 64 }, (_, taskNumber) => endOf(taskNumber));

function endOf(taskNumber: number): string {
  return taskNumber.toString(16).padStart(8, '0');
}

export function taskIdOf(executionId: ExecutionId, taskNumber: number): TaskId {
  const end = firstEnds[taskNumber] ?? endOf(taskNumber);
  return (executionId.slice(0, 28) + end) as unknown as TaskId;
}

/**
 * The execution a task id belongs to and the task's number; undefined when the text is not an id of
 * ours.
 */
export function parseTaskId(
  text: string,
): { executionId: ExecutionId; taskNumber: number } | undefined {
  if (!pattern.test(text)) return undefined;
  const taskNumber = Number.parseInt(text.slice(28), 16);
  return { executionId: (text.slice(0, 28) + '00000000') as ExecutionId, taskNumber };
}

/** The execution that a task id names. */
export function executionOf(taskId: TaskId): ExecutionId {
  return (taskId.slice(0, 28) + '00000000') as unknown as ExecutionId;
}

/** The number of the task that a task id names. */
export function numberOf(taskId: TaskId): number {
  return Number.parseInt(taskId.slice(28), 16);
}

/** undefined when the text is not an execution id of ours. */
export function parseExecutionId(text: string): ExecutionId | undefined {
  return pattern.test(text) && text.endsWith('00000000') ? (text as ExecutionId) : undefined;
}

/** The shard of an id made by `executionIdOf`, for a keyspace of `shards` shards. */
export function shardOf(executionId: ExecutionId, shards: number): number {
  return Number.parseInt(executionId.slice(0, 4), 16) % shards;
}
