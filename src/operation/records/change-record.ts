// Changes of one record that build on what it was: compare and set, tried again when another node
// was faster (invariants S26).
import { AppError } from '../../model/errors.js';
import type { RecordWrite } from '../../store/record-store.js';
import type { RecordTable } from './record-table.js';

const attemptsMax = 8;

/**
 * Stores what `change` makes of the record that is there now (undefined: none), together with
 * `besides`. `change` may throw to refuse. Throws AppError 'conflict' when others keep being
 * faster.
 */
export async function changeRecord<T>(
  table: RecordTable<T>,
  id: string,
  change: (known: T | undefined) => T,
  besides: {
    readonly writes: readonly RecordWrite[];
    readonly tables: readonly RecordTable<never>[];
  } = { writes: [], tables: [] },
): Promise<T> {
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const known = table.get(id);
    const next = change(known);
    const condition = known === undefined ? 'absent' : table.revisionOf(id);
    const writes = [table.writeOf(next, condition), ...besides.writes];
    if (await table.write(writes, besides.tables)) return next;
    await table.follow(Number.MAX_SAFE_INTEGER);
  }
  throw new AppError('conflict', `Others keep changing ${id}, try again`);
}
