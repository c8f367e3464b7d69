// All identities of a node in memory: persons, groups, applications, access keys, custom roles,
// grants and ended sessions, each a record table. Whatever changes there, here or at another node,
// raises `revision`, by which the authenticator forgets what it remembered.
import { invitation } from './invitations/invitation.js';
import type { ProviderLink } from './provider/provider-link.js';
import { sessionRecord, type EndedSession } from './sessions/session.js';
import { accessKey, application, type KeyUse } from './applications/application.js';
import type { TargetType } from '../../access/access-rules.js';
import type { AdministratorTurn } from './rights/administrator-turns.js';
import { GrantIndex, grantId } from './rights/grant-index.js';
import type {
  AccessKey,
  Application,
  CustomRole,
  FormerPerson,
  Grant,
  Group,
  Identities,
  Person,
  TargetRef,
} from './identities.js';
import { jsonCodec, type Besides } from '../../operation/records/record-table.js';
import type { RecordWrite } from '../../store/record-store.js';
import type { TablesOf } from '../../operation/records/record-tables.js';
import { secondFactorCodec } from './account/second-factors.js';

export const identityRecords = {
  persons: jsonCodec<Person>('user', ({ id }) => id),
  groups: jsonCodec<Group>('group', ({ id }) => id),
  applications: application.record,
  keys: accessKey.record,
  roles: jsonCodec<CustomRole>('role', ({ name }) => name),
  grants: jsonCodec<Grant>('grant', ({ subject, target }) => grantId(subject, target)),
  endedSessions: jsonCodec<EndedSession>('ended-session', ({ tokenId }) => tokenId),
  sessions: sessionRecord.record,
  secondFactors: secondFactorCodec,
  invitations: invitation.record,
  keyUses: jsonCodec<KeyUse>('key-use', ({ id }) => id),
  administratorTurns: jsonCodec<AdministratorTurn>('administrator-turn', ({ id }) => id),
  providerLinks: jsonCodec<ProviderLink>('provider-link', ({ id }) => id),
  formerPersons: jsonCodec<FormerPerson>('former-user', ({ id }) => id),
};

type Tables = TablesOf<typeof identityRecords>;

export class IdentityTables implements Identities, Tables {
  readonly persons: Tables['persons'];
  readonly groups: Tables['groups'];
  readonly applications: Tables['applications'];
  readonly keys: Tables['keys'];
  readonly roles: Tables['roles'];
  readonly grants: Tables['grants'];
  readonly endedSessions: Tables['endedSessions'];
  readonly administratorTurns: Tables['administratorTurns'];
  readonly providerLinks: Tables['providerLinks'];
  readonly formerPersons: Tables['formerPersons'];
  readonly sessions: Tables['sessions'];
  readonly secondFactors: Tables['secondFactors'];
  readonly invitations: Tables['invitations'];
  readonly keyUses: Tables['keyUses'];
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
  constructor(tables: Tables, everyIdCounts?: (type: TargetType) => boolean) {
    this.grantIndex = new GrantIndex([], everyIdCounts);
    this.persons = tables.persons;
    this.groups = tables.groups;
    this.applications = tables.applications;
    this.keys = tables.keys;
    this.roles = tables.roles;
    this.grants = tables.grants;
    this.endedSessions = tables.endedSessions;
    this.sessions = tables.sessions;
    this.secondFactors = tables.secondFactors;
    this.invitations = tables.invitations;
    this.keyUses = tables.keyUses;
    this.administratorTurns = tables.administratorTurns;
    this.providerLinks = tables.providerLinks;
    this.formerPersons = tables.formerPersons;
    const changed = (): void => {
      this.#revision++;
      this.#tell();
    };
    this.persons.onChange(changed);
    this.formerPersons.onChange(changed);
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

  /**
   * A node may show a new person before it hears of the deletion of the former one, and a node of a
   * version before this drops the number from the person: so both tell it.
   */
  timesDeleted(id: string): number {
    const { persons, formerPersons } = this;
    return Math.max(persons.get(id)?.formerly ?? 0, formerPersons.get(id)?.times ?? 0);
  }

  /** The fields of a person that tell how often the id was deleted. */
  formerly(id: string): Pick<Person, 'formerly'> {
    const times = this.timesDeleted(id);
    return times === 0 ? {} : { formerly: times };
  }

  /** A write of a new person goes only with it: nobody of the id has been deleted meanwhile. */
  sameFormerPerson(id: string): Besides {
    const { formerPersons } = this;
    const known = formerPersons.get(id);
    const write: RecordWrite =
      known === undefined
        ? { kind: formerPersons.codec.kind, id, text: undefined, condition: 'absent' }
        : formerPersons.writeOf(known, formerPersons.revisionOf(id));
    return { writes: [write], tables: [formerPersons] };
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

  /** Whether anybody has the role of administrators, itself or as a group. */
  get hasAdministrator(): boolean {
    const { persons, applications, groups } = this;
    const all = [...persons.values(), ...applications.values(), ...groups.values()];
    return all.some(({ roles }) => roles.includes('ADMIN'));
  }

  /** Whether there is anybody who could sign in. */
  get isAnybody(): boolean {
    return this.persons.size + this.applications.size + this.keys.size > 0;
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
