// Ids that the engine makes: each is derived from what it is for, so that what is decided again, or
// told again, has the same one.
import { createHash } from 'node:crypto';
import { executionIdOf, type ExecutionId } from '../std/ids.js';

export function derivedId(text: string): ExecutionId {
  const digest = createHash('sha256').update(text).digest();
  return executionIdOf(digest.readUInt16BE(0), digest.subarray(2));
}
