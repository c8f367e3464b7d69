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

const idLength = 36;
const noDigit = 255;
/** By the code of a hexadecimal digit in lower case: its value. */
const digits = new Uint8Array(128).fill(noDigit);
for (let value = 0; value < 16; value++) digits[value.toString(16).charCodeAt(0)] = value;

/** Called as such: looking up a text's property is slow where texts have many inner forms. */
const codeAt = String.prototype.charCodeAt;

/** The value of a digit of `text`; `noDigit` or undefined where there is none. */
function digitAt(text: string, at: number): number | undefined {
  return digits[codeAt.call(text, at)];
}

/** The number that the digits of an id from `from` up to `to` make; NaN where one is none. */
function hexOf(text: string, from: number, to: number): number {
  let number = 0;
  for (let at = from; at < to; at++) {
    const digit = digitAt(text, at);
    if (digit === undefined || digit === noDigit) return Number.NaN;
    number = number * 16 + digit;
  }
  return number;
}

/** Asked of each report, where a regular expression takes four times as long. */
function isId(text: string): boolean {
  if (text.length !== idLength) return false;
  for (let at = 0; at < idLength; at++) {
    if (at === 8 || at === 13 || at === 18 || at === 23) {
      if (codeAt.call(text, at) !== 45) return false;
      continue;
    }
    const digit = digitAt(text, at);
    if (digit === undefined || digit === noDigit) return false;
    // The version, then the variant.
    if (at === 14 && digit !== 8) return false;
    if (at === 19 && digit >>> 2 !== 2) return false;
  }
  return true;
}

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
  return (executionId.slice(0, 28) + end) as TaskId;
}

/**
 * The execution a task id belongs to and the task's number; undefined when the text is not an id of
 * ours.
 */
export function parseTaskId(
  text: string,
): { executionId: ExecutionId; taskNumber: number } | undefined {
  if (!isId(text)) return undefined;
  const taskNumber = hexOf(text, 28, idLength);
  return { executionId: (text.slice(0, 28) + '00000000') as ExecutionId, taskNumber };
}

export function executionOf(taskId: TaskId): ExecutionId {
  return (taskId.slice(0, 28) + '00000000') as ExecutionId;
}

export function numberOf(taskId: TaskId): number {
  return hexOf(taskId, 28, idLength);
}

/** undefined when the text is not an execution id of ours. */
export function parseExecutionId(text: string): ExecutionId | undefined {
  return isId(text) && text.endsWith('00000000') ? (text as ExecutionId) : undefined;
}

/** The shard of an id made by `executionIdOf`, for a keyspace of `shards` shards. */
export function shardOf(executionId: ExecutionId, shards: number): number {
  return hexOf(executionId, 0, 4) % shards;
}
