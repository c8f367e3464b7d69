// The choice of how far back a page looks, kept in the address of the page.
import type { ReactElement } from 'react';
import { useView } from '../state/view';

interface WindowChoiceProps<Span extends string> {
  readonly spans: readonly Span[];
  readonly span: Span;
}

/** The span that the address names, else the last day. */
export function useWindow<Span extends string>(spans: readonly (Span | '1d')[]): Span | '1d' {
  const [view] = useView();
  return spans.find((each) => each === view['window']) ?? '1d';
}

export function WindowChoice<Span extends string>(props: WindowChoiceProps<Span>): ReactElement {
  const [, change] = useView();
  return (
    <label className="row">
      Last
      <select value={props.span} onChange={(event) => change({ window: event.target.value })}>
        {props.spans.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </select>
    </label>
  );
}
