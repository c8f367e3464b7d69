// A keyspace records its own protection (docs/access.md, "What protects a keyspace"): its guards
// (guards.ts), such as whether its nodes ask callers for tokens, and which keys seal its values. A
// node that differs would serve everything to everybody, or could not open what the others have
// sealed, so it is refused at its start, before it takes a lease, a shard or a request.
//
// The record is written by the first node that finds none. A guard is turned on by a node that has
// it while no node without it lives, and turned off by a command only. After this node has read the
// record and before it has its lease, another one may start. So a node reads the record again when
// it has its lease, and one that turns a guard on reads the list of nodes again: at least one of
// the two sees the other.
//
// A key is recorded before it seals anything, and leaves the record when nothing is sealed with it
// any more, so a rotation needs no word of anybody.
import { fingerprintOf, type SealingKey, type SealingKeys } from '../../access/sealing-keys.js';
import { keyIdOf } from '../../access/sealed-value.js';
import { AppError } from '../../model/errors.js';
import { calledAs } from '../../std/called-as.js';
import { sleep, type Clock } from '../../std/clock.js';
import type { Service } from '../../std/service.js';
import type { Member } from '../../store/shard-store.js';
import { changeRecord } from '../records/change-record.js';
import { jsonCodec, type RecordTable } from '../records/record-table.js';
import type { RecordTables } from '../records/record-tables.js';
import { guards, type Guard, type GuardName } from './guards.js';

export interface ProtectionRecord {
  readonly id: 'keyspace';
  /** Whether nodes ask callers for tokens. */
  readonly auth: boolean;
  /** Whether every task definition is restricted; absent in records of earlier versions: no. */
  readonly restrictTaskDefinitions?: boolean;
  /** Keys that every node must have, by their ids. */
  readonly keys: readonly RecordedKey[];
}

interface RecordedKey {
  readonly id: string;
  readonly fingerprint: string;
}

export interface ProtectionParts {
  readonly tables: RecordTables;
  /** Nodes that live; this one only when it has its lease. */
  readonly members: () => Promise<readonly Member[]>;
  readonly clock: Clock;
}

/** The facts of a node that must fit the keyspace. */
export interface NodeProtection {
  readonly guards: Readonly<Record<GuardName, boolean>>;
  readonly sealing: SealingKeys;
  /** Whether there are users, applications or access keys. */
  readonly hasIdentities: () => boolean;
  /** Told in a sentence what this node has changed. */
  readonly tell: (sentence: string) => void;
}

/** A node that died has no lease any more after this time, ms (placement/membership.ts: 3 s). */
const leasesEndMs = 4000;
const lookEveryMs = 250;

export class KeyspaceProtection {
  readonly #table: RecordTable<ProtectionRecord>;

  constructor(private readonly parts: ProtectionParts) {
    this.#table = parts.tables.open(jsonCodec<ProtectionRecord>('protection', ({ id }) => id));
  }

  /** undefined: nothing is written down yet. */
  get record(): ProtectionRecord | undefined {
    return this.#table.get('keyspace');
  }

  /** Started once the records are loaded, before the node takes its lease. */
  entrance(node: NodeProtection): Service {
    return { start: () => this.#enter(node), stop: async () => undefined };
  }

  /** Started once the node has its lease. */
  confirmation(node: NodeProtection): Service {
    return {
      start: async () => {
        await this.parts.tables.look();
        if (this.record !== undefined) refuseOther(this.record, node);
      },
      stop: async () => undefined,
    };
  }

  /** Resolves once every node that starts from now on must have this key. */
  async sealsWith(key: SealingKey): Promise<void> {
    const added = recorded(key);
    if (this.record?.keys.some((key) => isSame(key, added)) === true) return;
    await this.#change((known) => ({
      ...known,
      keys: [...known.keys.filter(({ id }) => id !== added.id), added],
    }));
  }

  /**
   * Nodes may start without a key that seals nothing any more. `own`: the key that this node seals
   * with.
   */
  async forgetUnused(own: SealingKey | undefined): Promise<void> {
    await this.parts.tables.look();
    const used = this.#sealedWith();
    const isUnused = ({ id }: RecordedKey): boolean => id !== own?.id && !used.has(id);
    if (this.record?.keys.some(isUnused) !== true) return;
    await this.#change((known) => ({
      ...known,
      keys: known.keys.filter((key) => !isUnused(key)),
    }));
  }

  /** Turns a guard on or off. Rejects with AppError 'conflict' while a node lives. */
  async set(name: GuardName, isOn: boolean): Promise<ProtectionRecord> {
    if (this.record !== undefined && (this.record[name] ?? false) === isOn) return this.record;
    const living = await this.#living(() => true);
    if (living.length > 0) {
      throw new AppError(
        'conflict',
        `The node ${namesOf(living)} runs in this keyspace: stop every node first, so that none differs from the others.`,
      );
    }
    return await this.#change((known) => ({ ...known, [name]: isOn }));
  }

  /** Gives up the keys: nodes without them may start, and cannot open what they sealed. */
  async forgetKeys(): Promise<ProtectionRecord> {
    return await this.#change((known) => ({ ...known, keys: [] }));
  }

  async #enter(node: NodeProtection): Promise<void> {
    const [sealing] = node.sealing.all;
    if (this.record === undefined) {
      const used = this.#sealedWith();
      refuseWithoutWord(node, used);
      const keys = node.sealing.all.filter(({ id }) => used.has(id)).map(recorded);
      const found = { ...nothing, ...node.guards, keys };
      await changeRecord(this.#table, nothing.id, (known) => known ?? found);
    }
    await this.#refuseOpen(node);
    for (const guard of guards) await this.#turnOn(guard, node);
    await this.#refuseOpen(node);
    if (sealing !== undefined) await this.sealsWith(sealing);
  }

  /** Refuses a node without a guard that the keyspace or a node that lives has. */
  async #refuseOpen(node: NodeProtection): Promise<void> {
    if (this.record !== undefined) refuseOther(this.record, node);
    const members = await this.parts.members();
    for (const guard of guards) {
      const { name } = guard;
      if (node.guards[name]) continue;
      refuseBeside(
        members.filter((member) => member[name] === true),
        guard,
      );
    }
  }

  /** Where this node has a guard that the keyspace has not, and no node without it lives. */
  async #turnOn(guard: Guard, node: NodeProtection): Promise<void> {
    const { name, lacks } = guard;
    if (!node.guards[name] || this.record?.[name] === true) return;
    refuseBeside(await this.#living(lacks), guard);
    await this.#change((known) => ({ ...known, [name]: true }));
    refuseBeside((await this.parts.members()).filter(lacks), guard);
    node.tell(guard.turnedOn);
  }

  /** Those that live although one that died before this call would have lost its lease. */
  async #living(counts: (member: Member) => boolean): Promise<readonly Member[]> {
    const { clock, members } = this.parts;
    const until = clock.monotonic() + leasesEndMs;
    for (;;) {
      const living = (await members()).filter(counts);
      if (living.length === 0 || clock.monotonic() >= until) return living;
      await sleep(clock, lookEveryMs);
    }
  }

  /** Ids of the keys that values are sealed with now. */
  #sealedWith(): ReadonlySet<string> {
    return new Set([...this.parts.tables.sealedParts()].map(keyIdOf));
  }

  #change(change: (known: ProtectionRecord) => ProtectionRecord): Promise<ProtectionRecord> {
    return changeRecord(this.#table, nothing.id, (known = nothing) => change(known));
  }
}

/** Of a keyspace about which nothing is written down. */
const nothing: ProtectionRecord = { id: 'keyspace', auth: false, keys: [] };

/** A keyspace of a version that wrote nothing down tells by what it holds. */
function refuseWithoutWord(
  { guards: { auth }, sealing, hasIdentities }: NodeProtection,
  used: ReadonlySet<string>,
): void {
  if (!auth && hasIdentities()) {
    throw refusal(
      'This keyspace holds users or access keys, and this node would ask nobody for a token. ' +
        `Start it with --auth. If everybody there may do everything, say so first: ${calledAs.admin} unprotect auth, with the settings of the node.`,
    );
  }
  const missing = [...used].find((id) => sealing.byId(id) === undefined);
  if (missing !== undefined) throw lacksKey(missing);
}

function refuseOther(record: ProtectionRecord, node: NodeProtection): void {
  const { sealing } = node;
  const open = guards.find(({ name }) => record[name] === true && !node.guards[name]);
  if (open !== undefined) throw refusal(open.refused);
  const own = sealing.all.map(recorded);
  const missing = record.keys.find((key) => !own.some((each) => isSame(each, key)));
  if (missing !== undefined) throw lacksKey(missing.id);
}

/** `members`: those that have the guard where this node has not, or the other way round. */
function refuseBeside(members: readonly Member[], { name, flag, aim }: Guard): void {
  const [first] = members;
  if (first === undefined) return;
  throw refusal(
    first[name] === true
      ? `The node ${namesOf(members)} runs in this keyspace with ${flag}: start this one with ${flag} too.`
      : `The node ${namesOf(members)} runs in this keyspace without ${flag}: stop it first, so that from then on every node ${aim}.`,
  );
}

function lacksKey(id: string): AppError {
  return refusal(
    `Values of this keyspace are sealed with the key "${id}", which this node does not have: give it in secretsKeyFile, secretsKey or secretsKeyCommand, beside a newer one if there is one. ` +
      `If the key is lost, these values are: ${calledAs.admin} unprotect secrets, with the settings of the node, lets nodes start without it.`,
  );
}

function namesOf(members: readonly Member[]): string {
  return members.map(({ nodeId, address }) => `${nodeId} (${address})`).join(', ');
}

function recorded(key: SealingKey): RecordedKey {
  return { id: key.id, fingerprint: fingerprintOf(key) };
}

function isSame(one: RecordedKey, other: RecordedKey): boolean {
  return one.id === other.id && one.fingerprint === other.fingerprint;
}

function refusal(message: string): AppError {
  return new AppError('unavailable', message);
}
