// Invitations (docs/access.md, "Account"): an administrator names somebody, gets a token that
// counts once and for some days, and hands it over; who brings it sets the password of the new
// account. This server sends no mail.
import { randomUUID } from 'node:crypto';
import { drawKeySecret, hashKeySecret, isKeySecret } from '../applications/key-secrets.js';
import { applicationOfSubject, type Person } from '../identities.js';
import { AppError } from '../../../model/errors.js';
import type { Clock } from '../../../std/clock.js';
import { refused } from '../../../model/record-reader.js';
import {
  invitation as declared,
  type CreatedInvitation,
  type Invitation,
  type InvitationRequest,
} from './invitation.js';
import type { IdentityTables } from '../identity-tables.js';
import { newGeneration, passwordHashOf } from '../users/persons.js';

const invitationsMax = 1000;

export class Invitations {
  constructor(
    private readonly identities: IdentityTables,
    private readonly clock: Clock,
    /** How long one counts, ms. */
    private readonly lifeMs: number,
  ) {}

  /**
   * The token is in this answer only. Rejects with AppError 'conflict' for who can sign in already,
   * 'not-found' for an unknown group.
   */
  async create(
    by: string,
    { email, name = email, roles = [], groups = [] }: InvitationRequest,
  ): Promise<CreatedInvitation> {
    const { invitations } = this.identities;
    if (applicationOfSubject(email) !== undefined) {
      throw refused('email', 'must not begin with app: as such users belong to applications');
    }
    this.#requireNew(email);
    const unknown = groups.find((id) => this.identities.group(id) === undefined);
    if (unknown !== undefined) throw new AppError('not-found', `Group ${unknown} not found`);
    const over = [...invitations.values()].filter(({ until }) => until <= this.clock.now());
    if (invitations.size - over.length >= invitationsMax) {
      throw new AppError('conflict', `There are ${invitationsMax} open invitations already`);
    }
    const secret = drawKeySecret();
    const now = this.clock.now();
    const invitation: Invitation = {
      id: randomUUID(),
      ...{ email, name, roles, groups },
      ...{ secretHash: hashKeySecret(secret), createdBy: by },
      ...{ createdAt: now, until: now + this.lifeMs },
    };
    await invitations.write([
      invitations.writeOf(invitation, 'absent'),
      ...over.slice(0, 100).map(({ id }) => ({ kind: 'invitation' as const, id, text: undefined })),
    ]);
    return { ...declared.toJson(invitation, {}), token: `${invitation.id}.${secret}` };
  }

  /** Those that still count, the newest first. */
  list(): Omit<CreatedInvitation, 'token'>[] {
    return [...this.identities.invitations.values()]
      .filter(({ until }) => until > this.clock.now())
      .sort((a, b) => b.createdAt - a.createdAt)
      .map((each) => declared.toJson(each, {}));
  }

  /** Rejects with AppError 'not-found'. */
  async remove(id: string): Promise<void> {
    if (await this.identities.invitations.remove(id)) return;
    throw new AppError('not-found', `Invitation ${id} not found`);
  }

  /**
   * Makes the account. Rejects with AppError 'forbidden' for a token that does not count (any
   * more), 'bad-request' for its password, 'conflict' when the account was made otherwise.
   */
  async accept(token: string, password: string): Promise<{ readonly id: string }> {
    const [id = '', secret = ''] = token.split('.', 2);
    const { invitations, persons } = this.identities;
    const found = invitations.get(id);
    const counts = found !== undefined && found.until > this.clock.now();
    if (!counts || !isKeySecret(secret, found.secretHash)) {
      throw new AppError('forbidden', 'This invitation does not count, or not any more');
    }
    const passwordHash = await passwordHashOf(password, found.email);
    const known = this.#requireNew(found.email);
    const person: Person = {
      contactInformation: {},
      uuid: randomUUID(),
      ...known,
      ...this.identities.formerly(found.email),
      ...{ id: found.email, name: found.name, roles: found.roles, groups: found.groups },
      generation: newGeneration(),
      ...(passwordHash === undefined ? {} : { passwordHash }),
    };
    const condition = known === undefined ? 'absent' : persons.revisionOf(found.email);
    const former = this.identities.sameFormerPerson(found.email);
    const stored = await persons.write(
      [
        persons.writeOf(person, condition),
        { kind: 'invitation', id, text: undefined, condition: 'present' },
        ...former.writes,
      ],
      [invitations, ...former.tables],
    );
    if (!stored) throw new AppError('conflict', 'Somebody else has used this invitation');
    return { id: person.id };
  }

  #requireNew(email: string): Person | undefined {
    const known = this.identities.person(email);
    if (known?.passwordHash === undefined) return known;
    throw new AppError('conflict', `${email} has a password already`);
  }
}
