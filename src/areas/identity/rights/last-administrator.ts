// The last administrator stays one: nobody locks everybody out by a removal, a demotion or a key
// (docs/access.md, Nobody gives what he does not have). An administrator is a person who can sign
// in, or an application with an active key, that has the role ADMIN itself or through a group. A
// change that would leave none of them is refused; changes that take an administrator away go one
// after the other, on all nodes.
import type { AccessKey, Application, Group, Person } from '../identities.js';
import { AppError } from '../../../model/errors.js';
import type { Clock } from '../../../std/clock.js';
import type { IdentityTables } from '../identity-tables.js';
import { AdministratorTurns } from './administrator-turns.js';

interface Records {
  readonly person: Person;
  readonly application: Application;
  readonly key: AccessKey;
  readonly group: Group;
}
type Kind = keyof Records;

interface ChangeOf<K extends Kind> {
  readonly kind: K;
  readonly id: string;
  readonly next: Records[K] | undefined;
}

/** A change as it would stand afterwards; undefined in place of a record: removed. */
export type IdentityChange = { readonly [K in Kind]: ChangeOf<K> }[Kind];

export interface LastAdministratorParts {
  readonly identities: IdentityTables;
  /** Store time. */
  readonly clock: Clock;
  /** Authentication is on; else everybody is an administrator. */
  readonly isOn: boolean;
  /** Persons sign in at a provider, so those without a password count too. */
  readonly hasProvider: boolean;
}

export class LastAdministrator {
  readonly #turns: AdministratorTurns;
  /** Of this node, which takes one turn after the other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(private readonly parts: LastAdministratorParts) {
    this.#turns = new AdministratorTurns(parts.identities.administratorTurns, parts.clock);
  }

  /**
   * Carries out a change of identities. `changes` says how they would stand afterwards. Rejects
   * with AppError 'conflict' when no administrator would be left, 'unavailable' when other nodes
   * keep taking administrators away.
   */
  async guard<T>(changes: () => readonly IdentityChange[], carryOut: () => Promise<T>): Promise<T> {
    if (!this.parts.isOn || this.#keepsAll(changes())) return await carryOut();
    const guarded = async (): Promise<T> => {
      await this.#followOthers();
      const [before, after] = [this.#left([]), this.#left(changes())];
      if (before > 0 && after === 0) {
        throw new AppError(
          'conflict',
          'This is the last administrator, who stays one: make another administrator first',
        );
      }
      return await carryOut();
    };
    const done = this.#last.then(() => this.#turns.during(guarded));
    this.#last = done.catch(() => undefined);
    return await done;
  }

  /** Reads changes of the nodes that had the turn before. */
  async #followOthers(): Promise<void> {
    const { persons, applications, groups, keys } = this.parts.identities;
    const tables = [persons, applications, groups, keys];
    await Promise.all(tables.map((table) => table.follow(Number.MAX_SAFE_INTEGER)));
  }

  /**
   * Whether everything stays by which somebody is an administrator. One that has it in two ways
   * stays one without either of them, so two changes at once would take him away.
   */
  #keepsAll(changes: readonly IdentityChange[]): boolean {
    const left = new Set(this.#reasons(changes));
    return this.#reasons([]).every((reason) => left.has(reason));
  }

  /** Administrators that there are, or would be after the changes. */
  #left(changes: readonly IdentityChange[]): number {
    return new Set(this.#reasons(changes).map((reason) => reason.split('\n', 1)[0])).size;
  }

  /**
   * The administrator, a line break, and one way in which it is one: its own role or a group, of an
   * application with one of its keys.
   */
  #reasons(changes: readonly IdentityChange[]): string[] {
    const { persons, applications, groups, keys } = this.parts.identities;
    const after = {
      persons: records(persons.values(), changes, 'person'),
      applications: records(applications.values(), changes, 'application'),
      keys: records(keys.values(), changes, 'key'),
      groups: records(groups.values(), changes, 'group'),
    };
    const leading = new Set(
      after.groups.filter(({ roles }) => roles.includes('ADMIN')).map(({ id }) => id),
    );
    const waysOf = ({ roles, groups: of }: Pick<Person, 'roles' | 'groups'>): string[] => [
      ...(roles.includes('ADMIN') ? ['by role'] : []),
      ...of.filter((id) => leading.has(id)).map((id) => `by group ${id}`),
    ];
    const people = after.persons
      .filter(({ passwordHash }) => passwordHash !== undefined || this.parts.hasProvider)
      .flatMap((person) => waysOf(person).map((way) => `person ${person.id}\n${way}`));
    const active = after.keys.filter(({ status }) => status === 'ACTIVE');
    const robots = after.applications.flatMap((each) => {
      const keys = active.filter(({ applicationId }) => applicationId === each.id);
      const ways = waysOf(each);
      return keys.flatMap(({ id }) =>
        ways.map((way) => `application ${each.id}\n${way}, key ${id}`),
      );
    });
    return [...people, ...robots];
  }
}

/** The records of a kind with the changes in their places. */
function records<K extends Kind>(
  stored: Iterable<Records[K]>,
  changes: readonly IdentityChange[],
  kind: K,
): Records[K][] {
  const found = new Map<string, Records[K]>();
  for (const record of stored) found.set(record.id, record);
  for (const { id, next } of changes.filter((change) => isOf(kind, change))) {
    if (next === undefined) found.delete(id);
    else found.set(id, next);
  }
  return [...found.values()];
}

function isOf<K extends Kind>(
  kind: K,
  change: IdentityChange,
): change is IdentityChange & ChangeOf<K> {
  return change.kind === kind;
}
