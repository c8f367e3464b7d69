// A JSON value as a tree: objects and lists fold, and a search keeps the lines that hold its text.
// With the focus on it, ↑ and ↓ walk its lines, ← and → fold and unfold, Enter copies the reference
// of the line.
import { useMemo, useState, type KeyboardEvent, type ReactElement } from 'react';
import { Button } from './controls';

/** Lines shown before "show all": a large value must not fill the document. */
const linesMax = 2000;

/** Shorter values have no search. */
const searchFromLines = 20;

interface JsonViewProps {
  readonly value: unknown;
  readonly label: string;
  /** Such as `workflow.input`: what `${…}` paths begin with. */
  readonly path?: string;
}

export function JsonView({ value, label, path }: JsonViewProps): ReactElement {
  const [wanted, setWanted] = useState('');
  const [isWhole, setWhole] = useState(false);
  const [folded, fold] = useState<ReadonlySet<string>>(new Set());
  const [marked, mark] = useState(-1);
  const lines = useMemo(() => linesOf(value, path ?? ''), [value, path]);
  const found =
    wanted === '' ? unfolded(lines, folded) : lines.filter(({ text }) => text.includes(wanted));
  const shown = isWhole ? found : found.slice(0, linesMax);
  const keys = (event: KeyboardEvent<HTMLElement>): void => {
    if (event.target !== event.currentTarget) return;
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const line = shown[marked];
    if (by !== undefined) {
      const next = Math.min(shown.length - 1, Math.max(0, marked + by));
      mark(next);
      event.currentTarget.children[next]?.scrollIntoView({ block: 'nearest' });
      event.preventDefault();
    } else if (line === undefined) return;
    else if (event.key === 'Enter') copy(line.reference);
    else if (event.key === 'ArrowLeft' && isFoldable(line)) fold(new Set(folded).add(line.at));
    else if (event.key === 'ArrowRight' && folded.has(line.at)) fold(toggled(folded, line.at));
  };
  return (
    <section className="json" aria-label={label}>
      {lines.length > searchFromLines && (
        <div className="row">
          <input
            type="search"
            className="filter"
            placeholder="Search"
            aria-label={`Search in ${label}`}
            value={wanted}
            onChange={(event) => setWanted(event.target.value)}
          />
          <Button onClick={() => fold(folded.size > 0 ? new Set() : foldable(lines))}>
            {folded.size > 0 ? 'Unfold all' : 'Fold all'}
          </Button>
        </div>
      )}
      <pre tabIndex={0} aria-label={label} onKeyDown={keys}>
        {shown.map(({ text, reference, at, from, until }, index) => (
          <span key={index} className="json-line" data-at={index === marked}>
            {isFoldable({ from, until }) && wanted === '' && (
              <button
                type="button"
                tabIndex={-1}
                className="json-fold"
                aria-expanded={!folded.has(at)}
                aria-label={`Fold ${at === '' ? label : at}`}
                onClick={() => fold(toggled(folded, at))}
              >
                {folded.has(at) ? '▸' : '▾'}
              </button>
            )}
            {text}
            {folded.has(at) && wanted === '' && ` … ${until - from} lines`}
            {reference !== '' && (
              <button
                type="button"
                tabIndex={-1}
                aria-label={`Copy ${reference}`}
                title={`Copy ${reference}`}
                onClick={() => copy(reference)}
              >
                {'${}'}
              </button>
            )}
            {'\n'}
          </span>
        ))}
      </pre>
      {found.length > shown.length && (
        <button type="button" className="button plain" onClick={() => setWhole(true)}>
          Show all {found.length} lines
        </button>
      )}
    </section>
  );
}

function copy(reference: string): void {
  if (reference !== '') void navigator.clipboard.writeText(reference);
}

interface Line {
  readonly text: string;
  /** `${…}` for this value; '' where there is no path. */
  readonly reference: string;
  /** Where the value of the line stands. */
  readonly at: string;
  /** Its own number, and that of the line that closes what it opens: its own if it is none. */
  readonly from: number;
  readonly until: number;
}

const isFoldable = ({ from, until }: Pick<Line, 'from' | 'until'>): boolean =>
  from > 0 && until > from;

/** All that can be folded. */
function foldable(lines: readonly Line[]): ReadonlySet<string> {
  return new Set(lines.filter(isFoldable).map(({ at }) => at));
}

function toggled(folded: ReadonlySet<string>, at: string): ReadonlySet<string> {
  const next = new Set(folded);
  if (!next.delete(at)) next.add(at);
  return next;
}

/** The lines that are not inside of something folded. */
function unfolded(lines: readonly Line[], folded: ReadonlySet<string>): readonly Line[] {
  if (folded.size === 0) return lines;
  const shown: Line[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] as Line;
    shown.push(line);
    if (isFoldable(line) && folded.has(line.at)) index = line.until;
  }
  return shown;
}

function linesOf(value: unknown, root: string): readonly Line[] {
  const lines: Line[] = [];
  const add = (text: string, reference: string, at: string): number => {
    const from = lines.length;
    lines.push({ text, reference, at, from, until: from });
    return from;
  };
  const write = (each: unknown, path: string, indent: string, head: string, tail: string): void => {
    const reference = root === '' || path === root ? '' : `\${${path}}`;
    if (each === null || typeof each !== 'object') {
      add(indent + head + (JSON.stringify(each) ?? 'null') + tail, reference, path);
      return;
    }
    const isList = Array.isArray(each);
    const [open, close] = isList ? '[]' : '{}';
    const members = Object.entries(each);
    if (members.length === 0) {
      add(`${indent}${head}${open}${close}${tail}`, reference, path);
      return;
    }
    const from = add(indent + head + open, reference, path);
    members.forEach(([name, member], index) => {
      const below = isList ? `${path}[${name}]` : `${path}.${name}`;
      const comma = index < members.length - 1 ? ',' : '';
      write(member, below, `${indent}  `, isList ? '' : `${JSON.stringify(name)}: `, comma);
    });
    const until = add(indent + close + tail, '', path);
    lines[from] = { ...(lines[from] as Line), until };
  };
  write(value, root, '', '', '');
  return lines;
}
