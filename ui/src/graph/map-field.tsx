// Values by name, a row each: text, or JSON where it is some. A row counts once one leaves it.
import { useState, type FocusEvent, type ReactElement } from 'react';
import { Icon } from '../design/icon';
import { plainText, plainValue, type Members } from './task-fields';

interface MapFieldProps {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly value: Members;
  /** undefined: no row is left. */
  readonly commit: (value: Members | undefined) => void;
}

type Row = readonly [name: string, text: string];

export function MapField({ label, hint, value, commit }: MapFieldProps): ReactElement {
  const [rows, setRows] = useState(() => rowsOf(value));
  const [seen, see] = useState(value);
  if (seen !== value && JSON.stringify(seen) !== JSON.stringify(value)) {
    see(value);
    setRows(rowsOf(value));
  }
  const take = (next: readonly Row[]): void => {
    const named = next.filter(([name]) => name !== '');
    const made = Object.fromEntries(named.map(([name, text]) => [name, plainValue(text)]));
    if (JSON.stringify(made) === JSON.stringify(value)) return;
    see(made);
    commit(named.length === 0 ? undefined : made);
  };
  const leave = ({ currentTarget, relatedTarget }: FocusEvent<HTMLElement>): void => {
    if (!currentTarget.contains(relatedTarget as Element | null)) take(rows);
  };
  const change = (at: number, row: Row): void => setRows(rows.with(at, row));
  return (
    <fieldset className="field map-field" aria-label={label}>
      <legend>{label}</legend>
      {rows.map(([name, text], at) => (
        <div key={at} className="map-row" onBlur={leave}>
          <input
            aria-label={`${label}: name ${at + 1}`}
            value={name}
            placeholder="name"
            onChange={({ target }) => change(at, [target.value, text])}
          />
          <input
            aria-label={`${label}: ${name === '' ? `value ${at + 1}` : name}`}
            value={text}
            placeholder="value"
            onChange={({ target }) => change(at, [name, target.value])}
            onKeyDown={({ key }) => key === 'Enter' && take(rows)}
          />
          <button
            type="button"
            className="button bare only-icon"
            aria-label={`Remove ${name === '' ? `row ${at + 1}` : name}`}
            onClick={() => {
              const next = rows.toSpliced(at, 1);
              setRows(next);
              take(next);
            }}
          >
            <Icon name="x" className="s" />
          </button>
        </div>
      ))}
      <button
        type="button"
        className="button bare small"
        aria-label={`Add to ${label}`}
        onClick={() => setRows([...rows, ['', '']])}
      >
        <Icon name="plus" className="s" />
        Add
      </button>
      {hint !== undefined && <small className="quiet">{hint}</small>}
    </fieldset>
  );
}

function rowsOf(value: Members): readonly Row[] {
  return Object.entries(value).map(([name, each]) => [name, plainText(each)]);
}
