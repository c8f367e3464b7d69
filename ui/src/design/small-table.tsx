// A table of few rows inside a pane: its heads sort, a row may show more below it. Long lists are
// ListTable's.
import { Fragment, useState, type ReactElement, type ReactNode } from 'react';
import { Icon } from './icon';
import { byValue } from './sorted';

export interface SmallColumn<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** The value that its rows are sorted by; absent: its head does not sort. */
  readonly value?: (row: Row) => string | number | undefined;
  readonly isNumber?: boolean;
  /** Its title is for screen readers only. */
  readonly isUnnamed?: boolean;
}

interface SmallTableProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly SmallColumn<Row>[];
  readonly keyOf: (row: Row) => string;
  /** The part below a row that it shows on demand; undefined: none. */
  readonly more?: (row: Row) => ReactNode;
  /** Said in place of rows. */
  readonly empty: string;
}

export function SmallTable<Row>(props: SmallTableProps<Row>): ReactElement {
  const { label, rows, columns, keyOf, more, empty } = props;
  const [order, setOrder] = useState<{ readonly title: string; readonly isDown: boolean }>();
  const [opened, open] = useState<string>();
  if (rows.length === 0) return <p className="quiet">{empty}</p>;
  const value = columns.find(({ title }) => title === order?.title)?.value;
  const sorted =
    value === undefined
      ? rows
      : [...rows].sort((a, b) => byValue(value(a), value(b), order?.isDown === true));
  return (
    <div className="scroll" tabIndex={0} role="group" aria-label={label}>
      <table className="small" aria-label={label}>
        <thead>
          <tr>
            {columns.map((column) => (
              <Head
                key={column.title}
                column={column}
                isDown={column.title === order?.title ? order.isDown : undefined}
                choose={(isDown) => setOrder({ title: column.title, isDown })}
              />
            ))}
            {more !== undefined && (
              <th scope="col">
                <span className="hidden-text">More</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {sorted.map((row) => {
            const key = keyOf(row);
            return (
              <Fragment key={key}>
                <tr>
                  {columns.map(({ title, cell, isNumber = false }) => (
                    <td key={title} className={isNumber ? 'num' : undefined}>
                      {cell(row)}
                    </td>
                  ))}
                  {more !== undefined && (
                    <td className="num">
                      <button
                        type="button"
                        className="link"
                        aria-expanded={opened === key}
                        onClick={() => open(opened === key ? undefined : key)}
                      >
                        {opened === key ? 'Less' : 'More'}
                      </button>
                    </td>
                  )}
                </tr>
                {more !== undefined && opened === key && (
                  <tr>
                    <td colSpan={columns.length + 1}>{more(row)}</td>
                  </tr>
                )}
              </Fragment>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

interface HeadProps<Row> {
  readonly column: SmallColumn<Row>;
  /** undefined: the rows are in another order. */
  readonly isDown: boolean | undefined;
  readonly choose: (isDown: boolean) => void;
}

function Head<Row>({ column, isDown, choose }: HeadProps<Row>): ReactElement {
  const { title, value, isNumber = false, isUnnamed = false } = column;
  const order = isDown === undefined ? undefined : isDown ? 'descending' : 'ascending';
  return (
    <th scope="col" className={isNumber ? 'num' : undefined} aria-sort={order}>
      {value === undefined ? (
        <span className={isUnnamed ? 'hidden-text' : undefined}>{title}</span>
      ) : (
        <button type="button" onClick={() => choose(isDown === false)}>
          {title}
          {isDown !== undefined && <Icon name="sort" />}
        </button>
      )}
    </th>
  );
}
