// Ids of executions of other servers. An id of this server names the place of its execution in the
// store, and a foreign one names none: an imported execution gets an id that is derived from its
// own. So it is found by both, and importing it again meets what is there.
import { createHash } from 'node:crypto';
import type { ImportMark } from './execution.js';
import { executionIdOf, parseExecutionId, type ExecutionId } from '../std/ids.js';
import { object, text, time, type ValueOf } from './schema.js';

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
export const importedFrom = object(
  'ImportedFrom',
  {
    workflowId: text('Its id at the other server'),
    from: text('Address of the other server'),
    importedAt: time(),
  },
  ['workflowId', 'from', 'importedAt'],
);

export function shownMark({ id, from, at }: ImportMark): ValueOf<typeof importedFrom> {
  return { workflowId: id, from, importedAt: at };
}
