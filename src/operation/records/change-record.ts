// Changes of one record that build on what it was. Those of this node take turns; another node may
// be faster, which compare and set notices: then the change is tried again (invariants S26).
import { sleep, systemClock, type Clock } from '../../std/clock.js';
import { AppError } from '../../model/errors.js';
import { nothingBesides, type Besides, type RecordTable } from './record-table.js';

const attemptsMax = 8;
/**
 * How long a first record of a name is tried, ms. It is stored only if nothing of that name has
 * changed since memory followed the store; what is written of other names is no obstacle, unless
 * the store cannot tell (another node of an earlier version, very many writes). A node that writes
 * without a gap would then use up a count of tries within a second.
 */
const firstMsMax = 10_000;
/** Pause behind a try that failed: one ms more each time, up to this. */
const pauseMsMax = 20;

/**
 * Tries until `attempt` resolves with something; each try that resolves with undefined has read
 * what others have written meanwhile. Rejects with AppError 'unavailable' when others have been
 * faster for `firstMsMax`. `what`: the name that is stored.
 */
export async function whileOthersWrite<T>(
  what: () => string,
  attempt: () => Promise<T | undefined>,
  clock: Clock = systemClock,
): Promise<T> {
  const untilAt = clock.monotonic() + firstMsMax;
  for (let tries = 1; ; tries++) {
    const done = await attempt();
    if (done !== undefined) return done;
    if (clock.monotonic() >= untilAt) throw changedByOthers(what());
    await sleep(clock, Math.min(tries, pauseMsMax));
  }
}

/**
 * As `changeRecord`, for a save by a caller: `require` throws AppError 'forbidden' unless the
 * caller may save over the record that is there (undefined: a new one). It is asked at once, so
 * that nothing else is told who may not, and again when the record has changed meanwhile: of two
 * nodes that create it in the same moment one does, and the other is answered as if it came later.
 */
export function saveRecord<T>(
  table: RecordTable<T>,
  id: string,
  {
    require,
    change,
    owned,
  }: {
    require: (known: T | undefined) => void;
    change: (known: T | undefined) => T;
    /** Stored together with a new record: who owns it. */
    owned: () => Besides;
  },
): Promise<T> {
  return changeRecord(
    table,
    id,
    (known) => {
      require(known);
      return change(known);
    },
    (known) => (known === undefined ? owned() : nothingBesides),
  );
}

/** The first record of a name that has several, its versions. */
export interface FirstRecord<T> {
  readonly record: T;
  /** How the ids of all records of the name end. */
  readonly idEnd: string;
  /** Whether memory shows a record of the name. */
  readonly isTaken: () => boolean;
  /** Stored together with it. */
  readonly besides: Besides;
}

/**
 * Stores the first record of a name. False, and nothing is stored, when `isTaken`: another node was
 * faster, whichever version it stored. Rejects with AppError 'unavailable' when other nodes keep
 * writing records of the name.
 */
export function storeFirst<T>(
  table: RecordTable<T>,
  { record, idEnd, isTaken, besides }: FirstRecord<T>,
): Promise<boolean> {
  const attempt = async (): Promise<boolean | undefined> => {
    await table.follow(Number.MAX_SAFE_INTEGER);
    if (isTaken()) return false;
    return (await table.putUnchanged(record, idEnd, besides)) ? true : undefined;
  };
  return table.turns.run(`first of ${idEnd}`, () =>
    whileOthersWrite(() => table.codec.idOf(record), attempt),
  );
}

/**
 * Stores what `change` makes of the record that is there now (undefined: none), together with
 * `besides`. `change` may throw to refuse. Rejects with AppError 'unavailable' when other nodes
 * keep being faster.
 */
export function changeRecord<T>(
  table: RecordTable<T>,
  id: string,
  change: (known: T | undefined) => T,
  besides: (known: T | undefined) => Besides = () => nothingBesides,
): Promise<T> {
  const store = async (): Promise<T | undefined> => {
    const known = table.get(id);
    const next = change(known);
    const condition = known === undefined ? 'absent' : table.revisionOf(id);
    return (await table.put(next, condition, besides(known))) ? next : undefined;
  };
  return table.turns.run(id, () => untilStored(table, id, store));
}

/** Tries until `attempt` resolves with something; undefined: another node was faster. */
async function untilStored<T, Result>(
  table: RecordTable<T>,
  id: string,
  attempt: () => Promise<Result | undefined>,
): Promise<Result> {
  for (let tries = 0; tries < attemptsMax; tries++) {
    const done = await attempt();
    if (done !== undefined) return done;
    await table.follow(Number.MAX_SAFE_INTEGER);
  }
  throw changedByOthers(id);
}

/**
 * Removes the record that is there now; false when there is none. `require` may throw to refuse; it
 * is asked again when the record has changed meanwhile. Rejects as `changeRecord` does.
 */
export function removeRecord<T>(
  table: RecordTable<T>,
  id: string,
  require: (known: T) => void,
): Promise<boolean> {
  const remove = async (): Promise<boolean | undefined> => {
    const known = table.get(id);
    if (known === undefined) return false;
    require(known);
    return (await table.remove(id, table.revisionOf(id))) ? true : undefined;
  };
  return table.turns.run(id, () => untilStored(table, id, remove));
}

/** Nothing was stored, since other nodes keep changing the same; a moment later it may be. */
export function changedByOthers(what: string): AppError {
  return new AppError('unavailable', `Others keep changing ${what}, try again`);
}
