// Applications, their roles and their access keys (contract-admin 2). An application is a user at
// the same time, `app:<id>`. Its creator owns it.
import { randomUUID } from 'node:crypto';
import { applicationSubject, type AccessKey, type Application } from '../identities.js';
import { drawKeySecret, hashKeySecret } from './key-secrets.js';
import { permissionsOf } from '../roles/roles.js';
import { administratorGivenRoles } from '../roles/system-roles.js';
import type { Caller } from '../../../model/caller.js';
import { AppError } from '../../../model/errors.js';
import {
  accessKey,
  application as declared,
  type CreatedKey,
  type ShownApplication,
  type ShownKey,
} from './application.js';
import type { Clock } from '../../../std/clock.js';
import type { RecordWrite } from '../../../store/record-store.js';
import { changeRecord } from '../../../operation/records/change-record.js';
import type { Tags } from '../../../operation/tags/tags.js';
import { grantRemovalsOf } from '../grants/grants.js';
import type { HeldRights } from '../rights/held-rights.js';
import type { LastAdministrator } from '../rights/last-administrator.js';
import type { IdentityTables } from '../identity-tables.js';
import type { RecordedOwnership } from '../rights/ownership.js';
import { plainId } from '../../../model/subject.js';

/** Access keys of one application. */
const keysMax = 100;

export interface ApplicationsParts {
  readonly identities: IdentityTables;
  readonly tags: Tags;
  readonly ownership: RecordedOwnership;
  readonly clock: Clock;
  readonly held: Pick<HeldRights, 'coversRole'>;
  readonly lastAdministrator: LastAdministrator;
}

export class Applications {
  constructor(private readonly parts: ApplicationsParts) {}

  list(): Application[] {
    return [...this.parts.identities.applications.values()];
  }

  find(id: string): Application | undefined {
    return this.parts.identities.application(id);
  }

  /** Throws AppError 'not-found'. */
  get(id: string): Application {
    const application = this.find(id);
    if (application === undefined) throw unknownApplication(id);
    return application;
  }

  toJson(application: Application): ShownApplication {
    return declared.toJson(application, {
      tags: this.parts.tags.of('APPLICATION', application.id),
    });
  }

  async create(caller: Caller, name: string): Promise<Application> {
    const { identities, ownership, clock } = this.parts;
    const now = clock.now();
    const application: Application = {
      id: randomUUID(),
      name,
      roles: [],
      groups: [],
      createdBy: caller.id,
      updatedBy: caller.id,
      createTime: now,
      updateTime: now,
    };
    const owner = ownership.creating(caller, 'APPLICATION', application.id);
    await identities.applications.put(application, 'absent', owner);
    return application;
  }

  /** Throws AppError 'not-found'. */
  async rename(caller: Caller, id: string, name: string): Promise<Application> {
    return await this.#change(caller, id, (known) => ({ ...known, name }));
  }

  /**
   * Its keys, user, tags and grants go with it. Throws AppError 'not-found', 'conflict' for the
   * last administrator.
   */
  async delete(id: string): Promise<void> {
    this.get(id);
    const removal = { kind: 'application', id, next: undefined } as const;
    await this.parts.lastAdministrator.guard(
      () => [removal],
      () => this.#delete(id),
    );
  }

  async #delete(id: string): Promise<void> {
    const { identities, ownership, tags } = this.parts;
    const writes: RecordWrite[] = [
      { kind: 'application', id, text: undefined },
      ...identities.keysOf(id).map((key) => removalOf(key)),
      ...grantRemovalsOf(identities, { type: 'USER', id: applicationSubject(id) }),
    ];
    const { applications, keys, grants } = identities;
    await applications.write(writes, [keys, grants, tags.table]);
    await ownership.leaving('APPLICATION', id)();
  }

  /** Throws AppError 'not-found', 'bad-request' for an unknown role, 'forbidden'. */
  async addRole(caller: Caller, id: string, role: string): Promise<void> {
    this.get(id);
    if (permissionsOf(role, this.parts.identities) === undefined) {
      throw new AppError('bad-request', `There is no role ${role}`);
    }
    const isCustom = this.parts.identities.customRole(role) !== undefined;
    const needsAdministrator = isCustom || administratorGivenRoles.has(role);
    if (needsAdministrator && !caller.roles.includes('ADMIN')) {
      throw new AppError('forbidden', `Only an administrator may give the role ${role}`);
    }
    if (!this.parts.held.coversRole(caller, role)) {
      throw new AppError(
        'forbidden',
        `${plainId(caller.id)} does not have all that the role ${role} gives`,
      );
    }
    await this.#change(caller, id, (known) => ({
      ...known,
      roles: [...new Set([...known.roles, role])],
    }));
  }

  /** Throws AppError 'not-found', 'conflict' for the last administrator. */
  async removeRole(caller: Caller, id: string, role: string): Promise<void> {
    const without = (known: Application): Application => ({
      ...known,
      roles: known.roles.filter((each) => each !== role),
    });
    await this.parts.lastAdministrator.guard(
      () => [{ kind: 'application', id, next: without(this.get(id)) }],
      () => this.#change(caller, id, without),
    );
  }

  /**
   * The secret is in this answer only. `lifeMs`: how long the key counts; undefined: it has no end.
   * Throws AppError 'not-found', 'bad-request'.
   */
  async createKey(id: string, lifeMs?: number): Promise<CreatedKey> {
    const { identities, clock } = this.parts;
    const secret = drawKeySecret();
    const key: AccessKey = {
      id: randomUUID(),
      applicationId: id,
      secretHash: hashKeySecret(secret),
      status: 'ACTIVE',
      createdAt: clock.now(),
      ...(lifeMs === undefined ? {} : { expiresAt: clock.now() + lifeMs }),
    };
    await identities.keys.turns.run(`keys of ${id}`, async () => {
      this.get(id);
      if (identities.keysOf(id).length >= keysMax) {
        throw new AppError('bad-request', `An application has at most ${keysMax} access keys`);
      }
      await identities.keys.put(key, 'absent');
    });
    const { expiresAt } = key;
    return { id: key.id, secret, ...(expiresAt === undefined ? {} : { expiresAt }) };
  }

  /** Throws AppError 'not-found'. */
  keys(id: string): ShownKey[] {
    this.get(id);
    return this.parts.identities.keysOf(id).map((key) => this.#toJson(key));
  }

  /** Throws AppError 'not-found'. */
  ownerOfKey(keyId: string): Application {
    const key = this.parts.identities.accessKey(keyId);
    if (key === undefined) throw unknownKey(keyId);
    return this.get(key.applicationId);
  }

  /** Active becomes inactive and the reverse. Throws AppError 'not-found', 'conflict'. */
  async toggleKey(id: string, keyId: string): Promise<ShownKey> {
    this.#key(id, keyId);
    const toggled = (known: AccessKey | undefined): AccessKey => {
      if (known === undefined) throw unknownKey(keyId);
      return { ...known, status: known.status === 'ACTIVE' ? 'INACTIVE' : 'ACTIVE' };
    };
    const key = await this.parts.lastAdministrator.guard(
      () => [{ kind: 'key', id: keyId, next: toggled(this.#key(id, keyId)) }],
      () => changeRecord(this.parts.identities.keys, keyId, toggled),
    );
    return this.#toJson(key);
  }

  /** Throws AppError 'not-found'. */
  async deleteKey(id: string, keyId: string): Promise<void> {
    this.#key(id, keyId);
    const wasThere = await this.parts.lastAdministrator.guard(
      () => [{ kind: 'key', id: keyId, next: undefined }],
      () => this.parts.identities.keys.remove(keyId),
    );
    if (!wasThere) throw unknownKey(keyId);
  }

  #toJson(key: AccessKey): ShownKey {
    const usedAt = this.parts.identities.keyUses.get(key.id)?.usedAt;
    return accessKey.toJson(key, usedAt === undefined ? {} : { lastUsedAt: usedAt });
  }

  #key(id: string, keyId: string): AccessKey {
    this.get(id);
    const key = this.parts.identities.accessKey(keyId);
    if (key === undefined || key.applicationId !== id) throw unknownKey(keyId);
    return key;
  }

  async #change(
    caller: Caller,
    id: string,
    change: (known: Application) => Application,
  ): Promise<Application> {
    const now = this.parts.clock.now();
    return await changeRecord(this.parts.identities.applications, id, (known) => {
      if (known === undefined) throw unknownApplication(id);
      return { ...change(known), updatedBy: caller.id, updateTime: now };
    });
  }
}

function removalOf(key: AccessKey): RecordWrite {
  return { kind: 'access-key', id: key.id, text: undefined };
}

function unknownApplication(id: string): AppError {
  return new AppError('not-found', `Application ${id} not found`);
}

function unknownKey(id: string): AppError {
  return new AppError('not-found', `Access key ${id} not found`);
}
