// Operations of a person on their own account (docs/access.md, "Account"): its password, its
// sessions and its second factor. Changes of what protects it ask for the password again, so that a
// browser that was left open is not enough. Applications have keys and no account.
import { flag, integer, text } from '../../../model/schema.js';
import { always, shown, type ValueOf } from '../fields.js';
import type { Person } from '../identities.js';
import type { TokenClaims } from '../sign-in/tokens.js';
import type { Caller } from '../../../model/caller.js';
import { AppError } from '../../../model/errors.js';
import type { ShownSession } from '../sessions/session.js';
import { changeRecord } from '../../../operation/records/change-record.js';
import type { IdentityTables } from '../identity-tables.js';
import { newGeneration, passwordHashOf } from '../users/persons.js';
import type { SecondFactors } from './second-factors.js';
import type { Sessions } from '../sessions/sessions.js';
import type { IssuedToken, Opening, SignIn } from '../sign-in/sign-in.js';
import { plainId } from '../../../model/subject.js';

export const shownAccount = shown('Account', {
  id: always<string>(text('User id')),
  name: always<string>(text('Name to show')),
  hasPassword: always<boolean>(flag('Whether it signs in with a password')),
  secondFactor: always<boolean>(flag('Whether it must show a code with the password')),
  recoveryCodesLeft: always<number>(integer('Recovery codes that were not used')),
});

export interface AccountParts {
  readonly identities: IdentityTables;
  readonly signIn: SignIn;
  readonly sessions: Sessions;
  readonly secondFactors: SecondFactors;
}

/** A call to an account: the caller, its token and the address that it comes from. */
export interface AccountCall {
  readonly caller: Caller;
  readonly claims: TokenClaims;
  /** Of the client. */
  readonly address: string;
}

export class Account {
  constructor(private readonly parts: AccountParts) {}

  /** Throws AppError 'bad-request' for an application, as all of these. */
  show({ caller }: AccountCall): ValueOf<typeof shownAccount> {
    const { secondFactors } = this.parts;
    const { id, name, passwordHash } = this.#person(caller);
    return {
      ...{ id, name, hasPassword: passwordHash !== undefined },
      secondFactor: secondFactors.isOn(id),
      recoveryCodesLeft: secondFactors.recoveryCodesLeft(id),
    };
  }

  /**
   * Sets another password, which ends every session, and opens a new one for who asked. Rejects
   * with AppError 'forbidden' for a wrong password, 'bad-request' for a new one that may not be.
   */
  async changePassword(
    call: AccountCall,
    passwords: { readonly current: string; readonly next: string },
    opening: Opening,
  ): Promise<IssuedToken> {
    const { identities, signIn } = this.parts;
    const { id } = await this.#confirmed(call, passwords.current);
    const passwordHash = await passwordHashOf(passwords.next, id);
    const person = await changeRecord(identities.persons, id, (known) => {
      if (known === undefined) throw new AppError('not-found', `User ${id} not found`);
      const hash = passwordHash ?? known.passwordHash;
      const changed = { ...known, generation: newGeneration() };
      return hash === undefined ? changed : { ...changed, passwordHash: hash };
    });
    return await signIn.issueFor(person, opening);
  }

  sessions({ caller, claims }: AccountCall): ShownSession[] {
    return this.parts.sessions.list(this.#person(caller).id, claims.jti);
  }

  /** Rejects with AppError 'not-found'. */
  async endSession({ caller }: AccountCall, id: string): Promise<void> {
    await this.parts.sessions.end(this.#person(caller).id, id);
  }

  /** Ends all but the one that asks; how many. */
  async endOtherSessions({ caller, claims }: AccountCall): Promise<number> {
    return await this.parts.sessions.endOthers(this.#person(caller).id, claims.jti);
  }

  /** Rejects with AppError 'forbidden' for a wrong password, 'conflict' while there is one. */
  async enrol(
    call: AccountCall,
    password: string,
  ): Promise<{ readonly secret: string; readonly uri: string }> {
    const { id } = await this.#confirmed(call, password);
    return await this.parts.secondFactors.enrol(id);
  }

  /** The recovery codes. Rejects with AppError 'bad-request' for a wrong code. */
  async confirm({ caller }: AccountCall, code: string): Promise<string[]> {
    return await this.parts.secondFactors.confirm(this.#person(caller).id, code);
  }

  /** Rejects with AppError 'forbidden' for a wrong password or code. */
  async removeSecondFactor(call: AccountCall, password: string, code: string): Promise<void> {
    const { secondFactors } = this.parts;
    const { id } = await this.#confirmed(call, password);
    if (secondFactors.isOn(id) && !(await secondFactors.isRight(id, code))) {
      this.parts.signIn.failed(id, call.address);
      throw new AppError('forbidden', 'The code is wrong');
    }
    await secondFactors.remove(id);
  }

  async #confirmed({ caller, address }: AccountCall, password: string): Promise<Person> {
    const { id, passwordHash } = this.#person(caller);
    if (passwordHash === undefined) {
      throw new AppError('bad-request', 'This account has no password: an administrator sets one');
    }
    return await this.parts.signIn.confirm(id, password, address);
  }

  #person(caller: Caller): Person {
    const person = this.parts.identities.person(plainId(caller.id));
    if (person !== undefined) return person;
    throw new AppError(
      'bad-request',
      'Applications have no account: administrators change their keys',
    );
  }
}
