// A table of rows; only the rows in sight are in the document. `j` and `k` move, Enter opens, `x`
// selects. In a narrow window each row is a block of its named cells, so that nothing is out of
// sight.
import { useVirtualizer } from '@tanstack/react-virtual';
import {
  useEffect,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
} from 'react';
import { useRowPixels } from '../state/density';
import { useNarrow } from '../state/narrow';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** Left out while it is empty in every row. */
  readonly isOptional?: boolean;
  /** CSS width of the grid track. */
  readonly width?: string;
}

interface ListTableProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  readonly open?: (row: Row) => void;
  readonly selected?: ReadonlySet<string>;
  readonly onSelect?: (keys: ReadonlySet<string>) => void;
}

/** Of a row in a narrow window, until it is measured. */
const blockPixels = 84;
const heightMax = 640;

export function ListTable<Row>(props: ListTableProps<Row>): ReactElement {
  const { label, rows, keyOf, open, selected, onSelect } = props;
  const shown = useMemo(
    () =>
      props.columns.filter(
        ({ isOptional = false, cell }) => !isOptional || rows.some((row) => isFilled(cell(row))),
      ),
    [props.columns, rows],
  );
  const columns = onSelect === undefined ? shown : [selector(props), ...shown];
  const frame = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState(-1);
  const isNarrow = useNarrow();
  const rowPixels = useRowPixels();
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => (isNarrow ? blockPixels : rowPixels),
    overscan: 12,
  });
  useEffect(() => virtual.measure(), [virtual, isNarrow, rowPixels]);
  const toggle = (row: Row): void => onSelect?.(toggled(selected ?? new Set(), keyOf(row)));
  const keys = (event: KeyboardEvent): void => {
    if ((event.target as HTMLElement).closest('input, textarea, select')) return;
    const by = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key];
    const row = rows[at];
    if (by !== undefined) {
      const next = Math.min(rows.length - 1, Math.max(0, at + by));
      setAt(next);
      virtual.scrollToIndex(next);
      event.preventDefault();
    } else if (event.key === 'Enter' && row && event.target === frame.current) open?.(row);
    else if (event.key === 'x' && row) toggle(row);
  };
  const tracks = columns.map(({ width = 'minmax(80px, 1fr)' }) => width).join(' ');
  return (
    <div
      className={isNarrow ? 'table blocks' : 'table'}
      ref={frame}
      tabIndex={0}
      role="table"
      aria-label={label}
      aria-rowcount={rows.length + 1}
      onKeyDown={keys}
      style={{ maxHeight: heightMax }}
    >
      <div role="rowgroup" className="table-head">
        <div role="row" aria-rowindex={1} style={{ gridTemplateColumns: tracks }}>
          {columns.map(({ title }) => (
            <span role="columnheader" key={title}>
              {title}
            </span>
          ))}
        </div>
      </div>
      <div role="rowgroup" className="table-body" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const row = rows[index] as Row;
          return (
            <div
              role="row"
              key={keyOf(row)}
              aria-rowindex={index + 2}
              data-at={index === at}
              data-index={index}
              ref={isNarrow ? virtual.measureElement : undefined}
              style={{ transform: `translateY(${start}px)`, gridTemplateColumns: tracks }}
            >
              {columns.map(({ title, cell }) => {
                const shownCell = cell(row);
                // A narrow column cuts its text; pointing at it shows all of it.
                const whole = typeof shownCell === 'string' ? { title: shownCell } : {};
                return (
                  <span role="cell" key={title} data-title={title} {...whole}>
                    {shownCell}
                  </span>
                );
              })}
            </div>
          );
        })}
      </div>
    </div>
  );
}

function isFilled(cell: ReactNode): boolean {
  return cell !== undefined && cell !== null && cell !== '';
}

function toggled(keys: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(keys);
  if (!next.delete(key)) next.add(key);
  return next;
}

function selector<Row>({ keyOf, selected, onSelect }: ListTableProps<Row>): Column<Row> {
  return {
    title: 'Chosen',
    width: '60px',
    cell: (row) => (
      <input
        type="checkbox"
        aria-label={`Choose ${keyOf(row)}`}
        checked={selected?.has(keyOf(row)) ?? false}
        onChange={() => onSelect?.(toggled(selected ?? new Set(), keyOf(row)))}
      />
    ),
  };
}
