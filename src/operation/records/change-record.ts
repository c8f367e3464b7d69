// Changes of one record that build on what it was. Those of this node take turns; another node may
// be faster, which compare and set notices: then the change is tried again (invariants S26).
import { sleep, systemClock, type Clock } from '../../std/clock.js';
import { partsOf } from '../../std/parts.js';
import { writesMax, type RecordWrite } from '../../store/record-store.js';
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
 * caller may save over the record that is there (undefined: a new one). It is asked first, so that
 * nothing else is told who may not, behind the change, which may take its time, and again when the
 * record has changed meanwhile: of two nodes that create it in the same moment one does, and the
 * other is answered as if it came later.
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
    change: (known: T | undefined) => T | Promise<T>;
    /** Stored together with a new record: who owns it. */
    owned: () => Besides;
  },
): Promise<T> {
  return changeRecord(
    table,
    id,
    async (known) => {
      require(known);
      const next = await change(known);
      require(known);
      return next;
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
 * `besides`. `change` may throw to refuse; it is called in its turn, which may be seconds after the
 * call, so rights are asked in it. Rejects with AppError 'unavailable' when other nodes keep being
 * faster.
 */
export function changeRecord<T>(
  table: RecordTable<T>,
  id: string,
  change: (known: T | undefined) => T | Promise<T>,
  besides: (known: T | undefined) => Besides = () => nothingBesides,
): Promise<T> {
  const store = async (): Promise<T | undefined> => {
    const known = table.get(id);
    const condition = known === undefined ? 'absent' : table.revisionOf(id);
    const next = await change(known);
    return (await table.put(next, condition, besides(known))) ? next : undefined;
  };
  return table.turns.run(id, () => untilStored(table, id, store));
}

/** As `changeRecord`, of a record that is there; false, and nothing stored, when there is none. */
export function changeIfThere<T>(
  table: RecordTable<T>,
  id: string,
  change: (known: T) => T,
): Promise<boolean> {
  return whileThere(table, id, (known, revision) => table.put(change(known), revision));
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
    await table.refresh();
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
  return whileThere(table, id, (known, revision) => {
    require(known);
    return table.remove(id, revision);
  });
}

/**
 * Has `store` change the record that is there now, by its revision; false when there is none.
 * `store` resolves with false where the record has changed meanwhile, and is called again then.
 */
function whileThere<T>(
  table: RecordTable<T>,
  id: string,
  store: (known: T, revision: number) => Promise<boolean>,
): Promise<boolean> {
  const attempt = async (): Promise<boolean | undefined> => {
    const known = table.get(id);
    if (known === undefined) return false;
    return (await store(known, table.revisionOf(id))) ? true : undefined;
  };
  return table.turns.run(id, () => untilStored(table, id, attempt));
}

/**
 * Removes records together with what goes with them; false when one of them is not there, or one
 * whose id ends with `idEnd` has changed since memory last followed the store: of more than
 * `writesMax` the first ones are removed then.
 */
export async function removeWith<T>(
  table: RecordTable<T>,
  ids: readonly string[],
  besides: Besides,
  idEnd?: string,
): Promise<boolean> {
  const { kind } = table.codec;
  const removals = ids.map((id): RecordWrite => {
    return { kind, id, text: undefined, condition: 'present' };
  });
  const [first = [], ...others] = partsOf([...removals, ...besides.writes], writesMax);
  if (!(await table.write(first, besides.tables, idEnd))) return false;
  for (const some of others) {
    if (!(await table.write(some, besides.tables))) return false;
  }
  return true;
}

/** Nothing was stored, since other nodes keep changing the same; a moment later it may be. */
export function changedByOthers(what: string): AppError {
  return new AppError('unavailable', `Others keep changing ${what}, try again`);
}
