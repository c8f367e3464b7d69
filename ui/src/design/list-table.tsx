// A table of rows; only the rows in sight are in the document. A click on a row or Enter opens it,
// `j` and `k` move, `x` selects; who comes back finds the row and the place where he left. In a
// narrow window each row is a card: its key with the time beside it, its cause, then the rest.
import { useVirtualizer } from '@tanstack/react-virtual';
import {
  memo,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
} from 'react';
import { useRowPixels } from '../state/density';
import { useLetters } from '../state/letter-keys';
import { useNarrow, useRoomy } from '../state/narrow';
import { Icon } from './icon';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** Left out while it is empty in every row. */
  readonly isOptional?: boolean;
  /** CSS width of the grid track. */
  readonly width?: string;
  /** Its title is for screen readers only. */
  readonly isUnnamed?: boolean;
  /** A number: right-aligned. */
  readonly isNumber?: boolean;
  /** Its place in a card of a narrow window; absent: with its title below the others. */
  readonly card?: 'time' | 'cause' | 'left-out';
  /** Its head sorts the rows. */
  readonly sort?: ColumnSort;
}

export interface ColumnSort {
  /** undefined: the rows are in another order. */
  readonly order: 'ascending' | 'descending' | undefined;
  readonly choose: () => void;
}

interface ListTableProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  readonly open?: (row: Row) => void;
  readonly selected?: ReadonlySet<string>;
  readonly onSelect?: (keys: ReadonlySet<string>) => void;
  /** It stands in a pane: its rows are cards. */
  readonly isCards?: boolean;
  /** Rows have a second line. */
  readonly hasTwoLines?: boolean;
  /** Key of the row that stands open beside the table. */
  readonly shown?: string | undefined;
  /** As many columns as there is room for beside a pane, where one is open; else absent. */
  readonly briefColumns?: number | undefined;
}

/** Of a row in a narrow window, until it is measured. */
const blockPixels = 84;
/** Where somebody has left a table, by its label and address. */
const left = new Map<string, { readonly top: number; readonly at: number }>();
const leftMax = 50;

export function ListTable<Row>(props: ListTableProps<Row>): ReactElement {
  const { label, rows, keyOf, open, selected, onSelect, hasTwoLines = false } = props;
  const isNarrow = useNarrow() || props.isCards === true;
  const columnsMax = useRoomy() ? undefined : props.briefColumns;
  const shown = useMemo(
    () =>
      props.columns
        .slice(0, columnsMax)
        .filter(
          ({ isOptional = false, card, cell }) =>
            !(isNarrow && card === 'left-out') &&
            (!isOptional || rows.some((row) => isFilled(cell(row)))),
        ),
    [props.columns, columnsMax, rows, isNarrow],
  );
  const columns = useMemo(
    () => (onSelect === undefined ? shown : [selector({ keyOf, selected, onSelect }), ...shown]),
    [shown, keyOf, selected, onSelect],
  );
  const frame = useRef<HTMLDivElement>(null);
  const place = `${label} ${location.pathname}${location.search}`;
  const [at, setAt] = useState(() => left.get(place)?.at ?? -1);
  const rowPixels = useRowPixels(hasTwoLines);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => (isNarrow ? blockPixels : rowPixels),
    overscan: 6,
  });
  useEffect(() => virtual.measure(), [virtual, isNarrow, rowPixels]);
  // Once, when the rows are there: who goes on from here scrolls himself.
  useEffect(() => {
    const { current } = frame;
    const known = left.get(place);
    if (current !== null && known !== undefined) current.scrollTop = known.top;
  }, [place]);
  const opens = useRef(open);
  useEffect(() => {
    opens.current = open;
  });
  const openRow = useCallback(
    (row: Row, index: number): void => {
      if (left.size >= leftMax) left.clear();
      left.set(place, { top: frame.current?.scrollTop ?? 0, at: index });
      opens.current?.(row);
    },
    [place],
  );
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
    } else if (event.key === 'Enter' && row && event.target === frame.current) openRow(row, at);
    else if (event.key === 'x' && row) toggle(row);
  };
  // Before anything has the focus the letters move in the first table of the page.
  const stepAtOnce = (by: number): void => {
    const { current } = frame;
    if (current === null || document.querySelector('[role=table]') !== current) return;
    if (document.activeElement !== document.body && document.activeElement?.id !== 'main') return;
    const next = Math.min(rows.length - 1, Math.max(0, at + by));
    setAt(next);
    virtual.scrollToIndex(next);
    current.focus({ preventScroll: true });
  };
  useLetters({ j: () => stepAtOnce(1), k: () => stepAtOnce(-1) });
  const tracks = columns.map(({ width = 'minmax(80px, 1fr)' }) => width).join(' ');
  return (
    <div
      className={['table', isNarrow && 'blocks', hasTwoLines && 'two-lines']
        .filter(Boolean)
        .join(' ')}
      ref={frame}
      tabIndex={0}
      role="table"
      aria-label={label}
      aria-rowcount={rows.length + 1}
      onKeyDown={keys}
    >
      <div role="rowgroup" className="table-head">
        <div role="row" aria-rowindex={1} style={{ gridTemplateColumns: tracks }}>
          {columns.map(({ title, isNumber = false, isUnnamed = false, sort }) => (
            <span
              role="columnheader"
              key={title}
              className={isNumber ? 'num' : undefined}
              aria-sort={sort?.order}
            >
              {sort === undefined ? (
                <span className={isUnnamed ? 'hidden-text' : undefined}>{title}</span>
              ) : (
                <button type="button" onClick={sort.choose}>
                  {title}
                  {sort.order !== undefined && <Icon name="sort" />}
                </button>
              )}
            </span>
          ))}
        </div>
      </div>
      <div role="rowgroup" className="table-body" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const row = rows[index] as Row;
          return (
            <TableRow
              key={keyOf(row)}
              {...{ row, index, start, columns, tracks }}
              isAt={index === at}
              isShown={props.shown === keyOf(row)}
              isChosen={selected?.has(keyOf(row))}
              open={open === undefined ? undefined : openRow}
              hasSelector={onSelect !== undefined}
              measure={isNarrow ? virtual.measureElement : undefined}
            />
          );
        })}
      </div>
    </div>
  );
}

interface TableRowProps<Row> {
  readonly row: Row;
  readonly index: number;
  /** Pixels from the top. */
  readonly start: number;
  readonly columns: readonly Column<Row>[];
  readonly tracks: string;
  readonly isAt: boolean;
  readonly isShown: boolean;
  readonly isChosen: boolean | undefined;
  readonly open: ((row: Row, index: number) => void) | undefined;
  /** Its first cell chooses the row. */
  readonly hasSelector: boolean;
  readonly measure: ((row: HTMLElement | null) => void) | undefined;
}

function TableRowOf<Row>(props: TableRowProps<Row>): ReactElement {
  const { row, index, start, columns, tracks, isAt, isShown, isChosen } = props;
  const { open, hasSelector, measure } = props;
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      data-at={isAt}
      data-shown={isShown}
      data-chosen={isChosen}
      className={open === undefined ? undefined : 'opens'}
      onClick={(event) => {
        const isControl = (event.target as HTMLElement).closest('a, button, input');
        if (isControl === null) open?.(row, index);
      }}
      data-index={index}
      ref={measure}
      style={{ top: start, gridTemplateColumns: tracks }}
    >
      {columns.map(({ title, cell, isNumber = false, card = 'fact' }, place) => {
        const shownCell = cell(row);
        // A narrow column cuts its text; pointing at it shows all of it.
        const whole = typeof shownCell === 'string' ? { title: shownCell } : {};
        const firsts = hasSelector ? ['chooser', 'key'] : ['key'];
        return (
          <span
            role="cell"
            key={title}
            data-title={title}
            data-card={firsts[place] ?? card}
            className={isNumber ? 'num' : undefined}
            {...whole}
          >
            {shownCell}
          </span>
        );
      })}
    </div>
  );
}

/** Rows that stay in sight while one scrolls are not drawn again. */
const TableRow = memo(TableRowOf) as typeof TableRowOf;

function isFilled(cell: ReactNode): boolean {
  return cell !== undefined && cell !== null && cell !== '';
}

function toggled(keys: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(keys);
  if (!next.delete(key)) next.add(key);
  return next;
}

interface SelectorProps<Row> {
  readonly keyOf: (row: Row) => string;
  readonly selected: ReadonlySet<string> | undefined;
  readonly onSelect: (keys: ReadonlySet<string>) => void;
}

function selector<Row>({ keyOf, selected, onSelect }: SelectorProps<Row>): Column<Row> {
  return {
    title: 'Chosen',
    isUnnamed: true,
    width: '44px',
    cell: (row) => (
      <input
        type="checkbox"
        aria-label={`Choose ${keyOf(row)}`}
        checked={selected?.has(keyOf(row)) ?? false}
        onChange={() => onSelect(toggled(selected ?? new Set(), keyOf(row)))}
      />
    ),
  };
}
