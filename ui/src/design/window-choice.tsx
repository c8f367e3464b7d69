// The choice of how far back a page looks, kept in the address of the page.
import type { ReactElement } from 'react';
import { isoText } from '../state/format';
import { useView } from '../state/view';

interface WindowChoiceProps<Span extends string> {
  readonly spans: readonly Span[];
  readonly span: Span;
}

const words: Readonly<Record<string, string>> = {
  ...{ '15m': '15 minutes', '1h': 'hour', '1d': 'day', '7d': '7 days', '30d': '30 days' },
};

const shortWords: Readonly<Record<string, string>> = {
  ...{ '15m': '15 min', '1h': '1 h', '1d': '24 h', '7d': '7 d', '30d': '30 d' },
};

export function spanWord(span: string): string {
  return words[span] ?? span;
}

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The begin of a span, to the minute, as the address of the list of executions takes it. */
export function sinceOf(span: string): string {
  const ms = Number.parseInt(span, 10) * (unitMs[span.slice(-1)] ?? 0);
  return isoText(Math.floor((Date.now() - ms) / 60_000) * 60_000);
}

/** The span that the address names, else the last day. */
export function useWindow<Span extends string>(spans: readonly (Span | '1d')[]): Span | '1d' {
  const [view] = useView();
  return spans.find((each) => each === view['window']) ?? '1d';
}

/** The same on a button. */
export function spanShort(span: string): string {
  return shortWords[span] ?? span;
}

export function WindowChoice<Span extends string>(props: WindowChoiceProps<Span>): ReactElement {
  const [, change] = useView();
  return (
    <div className="segments" role="group" aria-label="How far back">
      {props.spans.map((each) => (
        <button
          key={each}
          type="button"
          aria-pressed={each === props.span}
          title={`The last ${spanWord(each)}`}
          onClick={() => change({ window: each })}
        >
          {spanShort(each)}
        </button>
      ))}
    </div>
  );
}
