// With whose rights an execution acts: those of who started it. What was started without anybody
// (authentication was off, or the server itself) acts with the rights of the server. A schedule, a
// webhook and an event handler start executions with the rights of who created them.
import { callerOf } from '../../access/authenticator.js';
import type { Identities } from '../../access/identities.js';
import { systemCaller, type Caller } from '../../model/caller.js';

/** `startedBy`: a subject id. undefined when the subject does not exist any more. */
export function starterOf(
  startedBy: string | undefined,
  identities: Identities,
): Caller | undefined {
  const isOurs = startedBy === undefined || startedBy === '' || startedBy === systemCaller.id;
  return isOurs ? systemCaller : callerOf(startedBy, identities);
}

/**
 * Who acts when a definition that `createdBy` made does something, named as its creator. Empty:
 * made while authentication was off. undefined when the creator does not exist any more.
 */
export function ownerOf(createdBy: string, identities: Identities): Caller | undefined {
  return createdBy === '' ? { ...systemCaller, id: '' } : callerOf(createdBy, identities);
}
