// Changes of one record that build on what it was. Those of this node take turns; another node may
// be faster, which compare and set notices: then the change is tried again (invariants S26).
import { AppError } from '../../model/errors.js';
import type { RecordWrite } from '../../store/record-store.js';
import type { RecordTable } from './record-table.js';

const attemptsMax = 8;

/** What is stored together with the record. */
interface Besides {
  readonly writes: readonly RecordWrite[];
  readonly tables: readonly RecordTable<never>[];
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
  besides: Besides = { writes: [], tables: [] },
): Promise<T> {
  return table.turns.run(id, () => changeInTurn(table, id, change, besides));
}

async function changeInTurn<T>(
  table: RecordTable<T>,
  id: string,
  change: (known: T | undefined) => T,
  besides: Besides,
): Promise<T> {
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const known = table.get(id);
    const next = change(known);
    const condition = known === undefined ? 'absent' : table.revisionOf(id);
    const writes = [table.writeOf(next, condition), ...besides.writes];
    if (await table.write(writes, besides.tables)) return next;
    await table.follow(Number.MAX_SAFE_INTEGER);
  }
  throw changedByOthers(id);
}

/** Nothing was stored, since other nodes keep changing the same; a moment later it may be. */
export function changedByOthers(what: string): AppError {
  return new AppError('unavailable', `Others keep changing ${what}, try again`);
}
