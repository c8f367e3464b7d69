// Tables whose rows are all here sort by their heads: the order stands in the address of the page
// as `order`, the title of the column, behind `-` for the largest first.
import { useMemo } from 'react';
import { useView } from '../state/view';
import type { Column } from './list-table';

export interface SortableColumn<Row> extends Column<Row> {
  /** The value that its rows are sorted by; undefined comes last. */
  readonly value: (row: Row) => string | number | undefined;
}

interface Sorted<Row> {
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
}

export function useSorted<Row>(
  rows: readonly Row[],
  columns: readonly SortableColumn<Row>[],
): Sorted<Row> {
  const [view, change] = useView();
  const order = view['order'] ?? '';
  const isDown = order.startsWith('-');
  const chosen = isDown ? order.slice(1) : order;
  const sortedRows = useMemo(() => {
    const column = columns.find(({ title }) => title === chosen);
    if (column === undefined) return rows;
    return [...rows].sort((a, b) => byValue(column.value(a), column.value(b), isDown));
  }, [rows, columns, chosen, isDown]);
  // New columns draw every row anew.
  const sortable = useMemo(
    () =>
      columns.map((column): Column<Row> => {
        const isChosen = column.title === chosen;
        return {
          ...column,
          sort: {
            order: isChosen ? (isDown ? 'descending' : 'ascending') : undefined,
            choose: () =>
              change({ order: isChosen && !isDown ? `-${column.title}` : column.title }, true),
          },
        };
      }),
    [columns, chosen, isDown, change],
  );
  return { rows: sortedRows, columns: sortable };
}

type Value = string | number | undefined;

/** Compares for an order; undefined comes last whichever way. */
export function byValue(a: Value, b: Value, isDown: boolean): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  const upwards =
    typeof a === 'number' && typeof b === 'number'
      ? a - b
      : String(a).localeCompare(String(b), undefined, { numeric: true });
  return isDown ? -upwards : upwards;
}
