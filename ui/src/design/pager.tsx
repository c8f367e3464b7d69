// Which rows of how many a list shows, and the ways to those before and behind them.
import type { ReactElement } from 'react';
import { count } from '../state/format';
import { Button } from './controls';

interface PagerProps {
  /** Rows before the first one shown. */
  readonly start: number;
  readonly shown: number;
  readonly total: number;
  readonly pageSize: number;
  /** Such as `Tasks`, before the numbers. */
  readonly what?: string;
  readonly before: string;
  readonly behind: string;
  readonly onStart: (start: number) => void;
}

export function Pager(props: PagerProps): ReactElement {
  const { start, shown, total, pageSize, what, before, behind, onStart } = props;
  return (
    <div className="row">
      <span className="quiet">
        {what !== undefined && `${what} `}
        {shown === 0
          ? `None of ${count(total)}`
          : `${count(start + 1)} to ${count(start + shown)} of ${count(total)}`}
      </span>
      {start > 0 && (
        <Button onClick={() => onStart(Math.max(0, start - pageSize))}>{before}</Button>
      )}
      {start + pageSize < total && shown > 0 && (
        <Button onClick={() => onStart(start + pageSize)}>{behind}</Button>
      )}
    </div>
  );
}
