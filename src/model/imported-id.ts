// Ids of executions of other servers. An id of this server names the place of its execution in the
// store, and a foreign one names none: an imported execution gets an id that is derived from its
// own. So it is found by both, and importing it again meets what is there.
import { createHash } from 'node:crypto';
import type { ImportMark } from './execution.js';
import { executionIdOf, parseExecutionId, type ExecutionId } from '../std/ids.js';

const foreignId = /^[\w.:-]{1,255}$/;

/** Whether a text may be the id of an execution of another server. */
export function isForeignId(text: string): boolean {
  return foreignId.test(text) && parseExecutionId(text) === undefined;
}

/** The id here of an execution that another server calls `id`; an id of our form stays as it is. */
export function importedIdOf(id: string): ExecutionId {
  const own = parseExecutionId(id);
  if (own !== undefined) return own;
  const digest = createHash('sha256').update(`imported execution ${id}`).digest();
  return executionIdOf(digest.readUInt16BE(0), digest.subarray(2));
}

/** Where an imported execution comes from, as answers show it. */
export function shownMark({ id, from, at }: ImportMark): ShownMark {
  return { workflowId: id, from, importedAt: at };
}

export type ShownMark = {
  /** Its id at the other server. */
  workflowId: string;
  /** Address of the other server. */
  from: string;
  /** Epoch ms. */
  importedAt: number;
};
