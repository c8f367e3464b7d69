// The field that narrows a list by a text. The text stands in the address as `q`; `/` focuses the
// field.
import type { ReactElement } from 'react';
import { useView } from '../state/view';

export interface Filter {
  readonly text: string;
  /** Whether a text of a row contains what is asked for, whatever the case of its letters. */
  readonly fits: (text: string) => boolean;
}

export function useFilter(): Filter {
  const [view] = useView();
  const text = view['q'] ?? '';
  const wanted = text.toLowerCase();
  return { text, fits: (each) => each.toLowerCase().includes(wanted) };
}

export function FilterField({ label }: { readonly label: string }): ReactElement {
  const [, change] = useView();
  return (
    <input
      data-filter
      className="filter"
      type="search"
      aria-label={label}
      placeholder={label}
      value={useFilter().text}
      onChange={(event) => change({ q: event.target.value }, true)}
    />
  );
}
