// A cause as somebody worded it: a sentence, a text of thousands of characters without a space, or
// a stack trace of 200 lines. It wraps and keeps its lines. Of a long one the first line is shown,
// the rest on demand in a box of its own, so that it takes no room from the rest of the page.
import type { ReactElement } from 'react';

const firstCharsMax = 300;
/** Short causes may have so many lines. */
const linesMax = 3;

/** The first line, cut where it is long; the whole cause stands elsewhere. */
export function firstLine(text: string): string {
  const [line = ''] = text.split('\n');
  return line.length > firstCharsMax ? `${line.slice(0, firstCharsMax)}…` : line;
}

export function Reason({ text }: { readonly text: string }): ReactElement {
  if (text.length <= firstCharsMax && text.split('\n').length <= linesMax) {
    return <p className="reason">{text}</p>;
  }
  return (
    <div className="reason-parts">
      <p className="reason">{firstLine(text)}</p>
      <details>
        <summary>All of it</summary>
        <WholeReason text={text} />
      </details>
    </div>
  );
}

/** With its lines, in a box that scrolls. */
export function WholeReason({ text }: { readonly text: string }): ReactElement {
  return (
    <pre tabIndex={0} aria-label="Reason" className="whole-reason">
      {text}
    </pre>
  );
}
