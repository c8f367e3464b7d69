// With whose rights something acts. An execution acts with those of who started it; one that was
// started without a person (authentication was off, or the server itself) acts with the rights of
// the server. A schedule, a webhook and an event handler act with those of their owner of record.
// While authentication is off no caller is asked for a name.
import { localAdministrator, systemCaller, type Caller } from '../../../model/caller.js';
import type { Identities } from '../identities.js';
import { callerOf } from '../sign-in/authenticator.js';

export class Acting {
  constructor(
    private readonly identities: Identities,
    /** Authentication is on. */
    private readonly isOn: boolean,
  ) {}

  /** `startedBy`: a subject id. undefined when the subject does not exist any more. */
  readonly starterOf = (startedBy: string | undefined): Caller | undefined => {
    const isOurs = startedBy === undefined || startedBy === '' || startedBy === systemCaller.id;
    return !this.isOn || isOurs ? systemCaller : callerOf(startedBy, this.identities);
  };

  /**
   * The caller with whose rights a record of the owner `ownerId` acts, named as its owner. Empty:
   * saved while authentication was off. undefined when the owner does not exist any more.
   */
  readonly ownerOf = (ownerId: string): Caller | undefined => {
    if (!this.isOn || ownerId === '') return { ...systemCaller, id: ownerId };
    return callerOf(ownerId, this.identities);
  };

  /** The caller with an id now; undefined: is gone. */
  readonly callerOf = (id: string): Caller | undefined =>
    this.isOn ? callerOf(id, this.identities) : localAdministrator;
}
