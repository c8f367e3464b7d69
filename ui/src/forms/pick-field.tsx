// Several of what the server knows, such as roles and groups: chosen ones as boxes that are ticked,
// rather than names that one types. The value is a JSON list of names.
import { useQuery } from '@tanstack/react-query';
import { useId, useState, type ReactElement } from 'react';
import { ask } from '../api/client';
import type { JsonObject } from '../api/types';

/** Where the names come from. */
export interface PickFrom {
  readonly path: string;
  /** Of an item of the answer, where that is no text; the answer has items by itself or by type. */
  readonly member: string;
}

interface PickFieldProps {
  readonly label: string;
  readonly from: PickFrom;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly hint?: string | undefined;
}

/** More have a field that narrows them. */
const filteredFrom = 12;

export function PickField({ label, from, value, onChange, hint }: PickFieldProps): ReactElement {
  const id = useId();
  const [wanted, want] = useState('');
  const known = useQuery({
    queryKey: ['pick', from.path],
    queryFn: ({ signal }) => ask<object>(from.path, { signal }),
  });
  const chosen = namesIn(value);
  const offered = Object.values(known.data ?? [])
    .flat()
    .map((each) => nameOf(each, from.member));
  const all = [...new Set([...chosen, ...offered])].sort((a, b) => a.localeCompare(b));
  const shown = all.filter((name) => name.toLowerCase().includes(wanted.toLowerCase()));
  const toggle = (name: string): void =>
    onChange(
      JSON.stringify(
        chosen.includes(name) ? chosen.filter((each) => each !== name) : [...chosen, name],
      ),
    );
  return (
    <fieldset className="pick" aria-describedby={hint === undefined ? undefined : `${id}-about`}>
      <legend>{label}</legend>
      {all.length >= filteredFrom && (
        <input
          type="search"
          aria-label={`Find in ${label.toLowerCase()}`}
          placeholder="Find"
          value={wanted}
          onChange={(event) => want(event.target.value)}
        />
      )}
      <div className="choices">
        {shown.map((name) => (
          <label key={name}>
            <input type="checkbox" checked={chosen.includes(name)} onChange={() => toggle(name)} />
            {name}
          </label>
        ))}
        {shown.length === 0 && (
          <span className="quiet">
            {known.error === null ? 'There are none.' : 'The server did not tell which there are.'}
          </span>
        )}
      </div>
      {hint !== undefined && (
        <small id={`${id}-about`} className="quiet">
          {hint}
        </small>
      )}
    </fieldset>
  );
}

/** Names in a list as JSON, or with commas. */
export function namesIn(value: string): readonly string[] {
  if (value.trim() === '') return [];
  if (!value.startsWith('[')) return value.split(',').map((each) => each.trim());
  try {
    return (JSON.parse(value) as unknown[]).map(String);
  } catch {
    return [];
  }
}

/** The name of an item, or the item itself where it is one. */
export function nameOf(item: unknown, member: string): string {
  return typeof item === 'object' && item !== null
    ? String((item as JsonObject)[member])
    : String(item);
}
