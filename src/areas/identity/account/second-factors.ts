// The second factor of persons who sign in with a password (docs/access.md, "Account"): a secret
// that an authenticator application makes one-time codes of, and recovery codes for who has lost
// the device. It counts once a code has confirmed it. A code counts once, in the whole cluster: the
// step of the newest one is stored by compare and set before anybody is let in.
import { drawCodeSecret, drawRecoveryCodes, otpauthUri, stepOfCode } from './one-time-codes.js';
import { hashKeySecret, isKeySecret } from '../applications/key-secrets.js';
import type { SecretBox } from '../../../access/secret-box.js';
import { AppError } from '../../../model/errors.js';
import type { Clock } from '../../../std/clock.js';
import { changeRecord } from '../../../operation/records/change-record.js';
import {
  jsonCodec,
  sealedField,
  type RecordTable,
} from '../../../operation/records/record-table.js';

export interface SecondFactor {
  /** The person's. */
  readonly id: string;
  /** The secret in base32, encrypted. */
  readonly sealed: string;
  /** Epoch ms; absent: no code has confirmed it yet, so it does not count. */
  readonly confirmedAt?: number;
  /** Of the newest code that was accepted. */
  readonly lastStep: number;
  /** Digests of those that are left. */
  readonly recoveryCodes: readonly string[];
}

export const secondFactorCodec = jsonCodec<SecondFactor>(
  'second-factor',
  ({ id }) => id,
  sealedField(({ id }) => ownerOf(id)),
);

export interface SecondFactorsParts {
  readonly table: RecordTable<SecondFactor>;
  readonly box: SecretBox;
  readonly clock: Clock;
}

export class SecondFactors {
  constructor(private readonly parts: SecondFactorsParts) {}

  /** Whether this person must show a code. */
  isOn(person: string): boolean {
    return this.parts.table.get(person)?.confirmedAt !== undefined;
  }

  recoveryCodesLeft(person: string): number {
    return this.parts.table.get(person)?.recoveryCodes.length ?? 0;
  }

  /**
   * Draws a secret, which counts once `confirm` was called with a code of it. Rejects with AppError
   * 'conflict' while another one counts, 'unavailable' without a key to seal it with.
   */
  async enrol(person: string): Promise<{ readonly secret: string; readonly uri: string }> {
    const secret = drawCodeSecret();
    const sealed = await this.parts.box.seal(secret, ownerOf(person));
    await changeRecord(this.parts.table, person, (known) => {
      if (known?.confirmedAt !== undefined) {
        throw new AppError('conflict', 'There is a second factor already: remove it first');
      }
      return { id: person, sealed, lastStep: 0, recoveryCodes: [] };
    });
    return { secret, uri: otpauthUri(person, secret) };
  }

  /** Resolves with the recovery codes, shown this one time. Rejects with AppError 'bad-request'. */
  async confirm(person: string, code: string): Promise<string[]> {
    const codes = drawRecoveryCodes();
    const step = await this.#stepOf(person, code);
    const { table, clock } = this.parts;
    await changeRecord(table, person, (known) => {
      if (known === undefined || known.confirmedAt !== undefined) {
        throw new AppError('conflict', 'There is no second factor that waits to be confirmed');
      }
      if (step === undefined || step <= known.lastStep) {
        throw new AppError('bad-request', 'code is not the one that the application shows now');
      }
      const recoveryCodes = codes.map(hashKeySecret);
      return { ...known, confirmedAt: clock.now(), lastStep: step, recoveryCodes };
    });
    return codes;
  }

  /** Whether the code, a one-time or a recovery code, is right; it is used up then. */
  async isRight(person: string, code: string): Promise<boolean> {
    const step = await this.#stepOf(person, code);
    let isRight = false;
    await changeRecord(this.parts.table, person, (known) => {
      if (known === undefined) throw new AppError('not-found', 'There is no second factor');
      const used = known.recoveryCodes.find((stored) => isKeySecret(code.toUpperCase(), stored));
      isRight = used !== undefined || (step !== undefined && step > known.lastStep);
      if (!isRight) return known;
      return used === undefined
        ? { ...known, lastStep: step ?? known.lastStep }
        : { ...known, recoveryCodes: known.recoveryCodes.filter((each) => each !== used) };
    });
    return isRight;
  }

  /** Nothing happens when there is none. */
  async remove(person: string): Promise<void> {
    await this.parts.table.remove(person);
  }

  async #stepOf(person: string, code: string): Promise<number | undefined> {
    const factor = this.parts.table.get(person);
    if (factor === undefined) return undefined;
    const secret = await this.parts.box.open(factor.sealed, ownerOf(person));
    return stepOfCode(code, secret, this.parts.clock.now(), factor.lastStep);
  }
}

function ownerOf(person: string): string {
  return `second-factor:${person}`;
}
