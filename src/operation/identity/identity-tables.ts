// All identities of a node in memory: persons, groups, applications, access keys, custom roles,
// grants and ended sessions, each a record table. Whatever changes there, here or at another node,
// raises `revision`, by which the authenticator forgets what it remembered.
import type { TargetType } from '../../access/access-rules.js';
import { GrantIndex, grantId } from '../../access/grants.js';
import type {
  AccessKey,
  Application,
  CustomRole,
  Grant,
  Group,
  Identities,
  Person,
  TargetRef,
} from '../../access/identities.js';
import { jsonForm, type RecordTable } from '../records/record-table.js';
import type { RecordTables } from '../records/record-tables.js';
import type { Invitation, KeyUse, ProviderLink, SessionRecord } from './identity-records.js';
import { secondFactorForm, type SecondFactor } from './second-factors.js';

/** A token that was ended before its time; kept until it would have expired. */
export interface EndedSession {
  readonly tokenId: string;
  /** Epoch ms. */
  readonly until: number;
}

export class IdentityTables implements Identities {
  readonly persons: RecordTable<Person>;
  readonly groups: RecordTable<Group>;
  readonly applications: RecordTable<Application>;
  readonly keys: RecordTable<AccessKey>;
  readonly roles: RecordTable<CustomRole>;
  readonly grants: RecordTable<Grant>;
  readonly endedSessions: RecordTable<EndedSession>;
  readonly providerLinks: RecordTable<ProviderLink>;
  readonly sessions: RecordTable<SessionRecord>;
  readonly secondFactors: RecordTable<SecondFactor>;
  readonly invitations: RecordTable<Invitation>;
  readonly keyUses: RecordTable<KeyUse>;
  readonly grantIndex: GrantIndex;
  /** Keys by application and id. */
  readonly #keysOf = new Map<string, Map<string, AccessKey>>();
  /** Application by key id. */
  readonly #ownerOfKey = new Map<string, string>();
  /** Grants as they are known, by id: what is removed has to be found in the index. */
  readonly #grants = new Map<string, Grant>();
  /** Ids of grants by `TYPE:id` of their target, and of their subject. */
  readonly #byTarget = new Map<string, Set<string>>();
  readonly #bySubject = new Map<string, Set<string>>();
  readonly #listeners: (() => void)[] = [];
  #revision = 0;

  /** `everyIdCounts`: as the index of grants takes it. */
  constructor(tables: RecordTables, everyIdCounts?: (type: TargetType) => boolean) {
    this.grantIndex = new GrantIndex([], everyIdCounts);
    this.persons = tables.open(jsonForm<Person>('user', ({ id }) => id));
    this.groups = tables.open(jsonForm<Group>('group', ({ id }) => id));
    this.applications = tables.open(jsonForm<Application>('application', ({ id }) => id));
    this.keys = tables.open(jsonForm<AccessKey>('access-key', ({ id }) => id));
    this.roles = tables.open(jsonForm<CustomRole>('role', ({ name }) => name));
    this.grants = tables.open(
      jsonForm<Grant>('grant', ({ subject, target }) => grantId(subject, target)),
    );
    this.endedSessions = tables.open(
      jsonForm<EndedSession>('ended-session', ({ tokenId }) => tokenId),
    );
    this.sessions = tables.open(jsonForm<SessionRecord>('session', ({ id }) => id));
    this.secondFactors = tables.open(secondFactorForm);
    this.invitations = tables.open(jsonForm<Invitation>('invitation', ({ id }) => id));
    this.keyUses = tables.open(jsonForm<KeyUse>('key-use', ({ id }) => id));
    this.providerLinks = tables.open(jsonForm<ProviderLink>('provider-link', ({ id }) => id));
    const changed = (): void => {
      this.#revision++;
      this.#tell();
    };
    this.persons.onChange(changed);
    this.groups.onChange(changed);
    this.applications.onChange(changed);
    this.roles.onChange(changed);
    this.endedSessions.onChange(changed);
    this.keys.onChange((id, key) => this.#keyChanged(id, key));
    this.grants.onChange((id, grant) => this.#grantChanged(id, grant));
  }

  /** Calls back after each change, also of a grant; several may come at once. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  get revision(): number {
    return this.#revision;
  }

  person(id: string): Person | undefined {
    return this.persons.get(id);
  }

  application(id: string): Application | undefined {
    return this.applications.get(id);
  }

  accessKey(id: string): AccessKey | undefined {
    return this.keys.get(id);
  }

  group(id: string): Group | undefined {
    return this.groups.get(id);
  }

  customRole(name: string): CustomRole | undefined {
    return this.roles.get(name);
  }

  keysOf(applicationId: string): AccessKey[] {
    return [...(this.#keysOf.get(applicationId)?.values() ?? [])];
  }

  isEnded(tokenId: string): boolean {
    return this.endedSessions.get(tokenId) !== undefined;
  }

  grantsOn(target: TargetRef): Grant[] {
    return this.#found(this.#byTarget, `${target.type}:${target.id}`);
  }

  /** `subject`: `TYPE:id`. */
  grantsOf(subject: string): Grant[] {
    return this.#found(this.#bySubject, subject);
  }

  #found(index: Map<string, Set<string>>, key: string): Grant[] {
    return [...(index.get(key) ?? [])].flatMap((id) => this.#grants.get(id) ?? []);
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }

  #keyChanged(id: string, key: AccessKey | undefined): void {
    this.#revision++;
    this.#tell();
    const owner = key?.applicationId ?? this.#ownerOfKey.get(id);
    if (owner === undefined) return;
    let keys = this.#keysOf.get(owner);
    if (keys === undefined) this.#keysOf.set(owner, (keys = new Map()));
    if (key === undefined) keys.delete(id);
    else keys.set(id, key);
    if (keys.size === 0) this.#keysOf.delete(owner);
    if (key === undefined) this.#ownerOfKey.delete(id);
    else this.#ownerOfKey.set(id, owner);
  }

  #grantChanged(id: string, grant: Grant | undefined): void {
    const known = this.#grants.get(id);
    if (grant !== undefined) {
      this.#grants.set(id, grant);
      this.grantIndex.put(grant);
      if (known === undefined) this.#indexes(grant, (ids) => ids.add(id));
    } else if (known !== undefined) {
      this.#grants.delete(id);
      this.grantIndex.remove(known);
      this.#indexes(known, (ids) => ids.delete(id));
    }
    this.#tell();
  }

  #indexes({ subject, target }: Grant, change: (ids: Set<string>) => unknown): void {
    for (const [index, key] of [
      [this.#byTarget, `${target.type}:${target.id}`],
      [this.#bySubject, `${subject.type}:${subject.id}`],
    ] as const) {
      let ids = index.get(key);
      if (ids === undefined) index.set(key, (ids = new Set()));
      change(ids);
      if (ids.size === 0) index.delete(key);
    }
  }
}
