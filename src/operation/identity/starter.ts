// With whose rights an execution acts: those of who started it. An execution that was started
// without a person (authentication was off, or the server itself) acts with the rights of the
// server. A schedule, a webhook and an event handler start executions with the rights of their
// owner of record.
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
 * The caller with whose rights a record of the owner `ownerId` acts, named as its owner. Empty:
 * saved while authentication was off. undefined when the owner does not exist any more.
 */
export function ownerOf(ownerId: string, identities: Identities): Caller | undefined {
  return ownerId === '' ? { ...systemCaller, id: '' } : callerOf(ownerId, identities);
}
