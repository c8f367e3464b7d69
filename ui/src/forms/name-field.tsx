// One of the names that the server knows, such as a user or a definition, found while one types:
// what fits is listed below the field and chosen by pointer or keyboard.
import { useId, useState, type KeyboardEvent, type ReactElement } from 'react';

export interface KnownName {
  readonly value: string;
  /** An explanation, where its name does not say enough. */
  readonly about?: string;
}

interface NameFieldProps {
  readonly label: string;
  readonly value: string;
  readonly known: readonly KnownName[];
  readonly onChange: (value: string) => void;
  readonly required?: boolean;
  readonly hint?: string;
  /** Said when no known name fits what was typed. */
  readonly noneFits: string;
}

/** More are found by typing on. */
const shownMax = 8;

export function NameField(props: NameFieldProps): ReactElement {
  const { label, value, known, onChange, required = false, hint, noneFits } = props;
  const id = useId();
  const [isOpen, open] = useState(false);
  const [at, setAt] = useState(-1);
  const isKnown = known.some((each) => each.value === value);
  const fitting = known.filter((each) => fits(each, isKnown ? '' : value));
  const offered = isOpen ? fitting.slice(0, shownMax) : [];
  const close = (): void => {
    open(false);
    setAt(-1);
  };
  const take = (chosen: KnownName): void => {
    onChange(chosen.value);
    close();
  };
  const keys = (event: KeyboardEvent): void => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const chosen = offered[at];
    if (by !== undefined) {
      const number = Math.min(fitting.length, shownMax);
      open(true);
      if (number > 0) setAt(at < 0 && by < 0 ? number - 1 : (at + by + number) % number);
    } else if (event.key === 'Enter' && chosen !== undefined) take(chosen);
    else if (event.key === 'Escape' && isOpen) close();
    else return;
    event.preventDefault();
  };
  const about = !isKnown && value !== '' && fitting.length === 0 ? noneFits : hint;
  return (
    <div className="field name-field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="text"
        role="combobox"
        aria-expanded={offered.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={at < 0 ? undefined : `${id}-${at}`}
        aria-describedby={about === undefined ? undefined : `${id}-about`}
        autoComplete="off"
        spellCheck={false}
        required={required}
        placeholder="Type to find"
        value={value}
        onFocus={() => open(true)}
        onClick={() => open(true)}
        onBlur={close}
        onChange={(event) => {
          onChange(event.target.value);
          open(true);
          setAt(-1);
        }}
        onKeyDown={keys}
      />
      <ul id={`${id}-list`} role="listbox" aria-label={label} hidden={offered.length === 0}>
        {offered.map((each, index) => (
          <li
            key={each.value}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === at}
            onMouseDown={(event) => {
              event.preventDefault();
              take(each);
            }}
          >
            <b>{each.value}</b>
            {each.about !== undefined && <span className="quiet">{each.about}</span>}
          </li>
        ))}
        {isOpen && fitting.length > offered.length && (
          <li role="presentation" className="quiet">
            {fitting.length - offered.length} more: type on
          </li>
        )}
      </ul>
      {about !== undefined && (
        <small id={`${id}-about`} className="quiet">
          {about}
        </small>
      )}
    </div>
  );
}

function fits({ value, about = '' }: KnownName, typed: string): boolean {
  const wanted = typed.trim().toLowerCase();
  return value.toLowerCase().includes(wanted) || about.toLowerCase().includes(wanted);
}
