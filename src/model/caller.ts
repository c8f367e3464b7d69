// The caller of an operation: every operation and every command carries it. Identities come from
// tokens (folder access); without authentication every caller is the local administrator.
import { plainId } from './subject.js';

/** The kind of identity that asks. `system`: the server itself, on behalf of a definition. */
export type CallerKind = 'local' | 'user' | 'application' | 'system';

export interface Caller {
  readonly kind: CallerKind;
  /**
   * Subject (contract-admin 1.5): a user id, `app:<applicationId>`. It is stored and compared as it
   * is, and shown by `plainId` (subject.ts).
   */
  readonly id: string;
  /** Names of the roles in force, those of its groups included. */
  readonly roles: readonly string[];
  /** Ids of the groups that it is a member of. */
  readonly groups: readonly string[];
}

/** Everybody, while authentication is off. Records show no creator then (contract-core 4.3). */
export const localAdministrator: Caller = { kind: 'local', id: '', roles: ['ADMIN'], groups: [] };

/** The server's own doing, for example a schedule that has no owner. */
export const systemCaller: Caller = { kind: 'system', id: 'system', roles: ['ADMIN'], groups: [] };

/** A caller of a public endpoint who shows no token: without rights, not named in records. */
export const anonymous: Caller = { kind: 'local', id: '', roles: [], groups: [] };

/** The starter of an execution in a refusal. Unknown: nobody was asked for a token then. */
export function starterShown(startedBy: string | undefined): string {
  return startedBy === undefined || startedBy === '' ? 'An unknown starter' : plainId(startedBy);
}

/** Why nothing may be done in the name of a starter who is not there. */
export function goneStarter(startedBy: string | undefined): string {
  return startedBy === undefined || startedBy === ''
    ? 'It is not known who started the execution'
    : `${plainId(startedBy)}, who started the execution, does not exist`;
}

/** May do everything (contract-admin 6.4). */
export function isAdministrator(caller: Caller): boolean {
  return caller.roles.includes('ADMIN');
}

/** The caller that controls an execution, and the reason; passed on with the command. */
export interface Control {
  readonly caller: Caller;
  /** In the caller's words. */
  readonly reason?: string | undefined;
  /**
   * Sets an execution going only in this generation; in a later one it has done so already, and
   * nothing happens. So it may be sent again while the first one may still be under way.
   */
  readonly generation?: number | undefined;
}
