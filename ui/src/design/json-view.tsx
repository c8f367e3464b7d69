// A JSON value as a tree: objects and lists fold, and a search keeps the lines that hold its text.
import { useMemo, useState, type ReactElement } from 'react';

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
  const lines = useMemo(() => linesOf(value, path ?? ''), [value, path]);
  const found = wanted === '' ? lines : lines.filter(({ text }) => text.includes(wanted));
  const shown = isWhole ? found : found.slice(0, linesMax);
  return (
    <section className="json" aria-label={label}>
      {lines.length > searchFromLines && (
        <input
          type="search"
          className="filter"
          placeholder="Search"
          aria-label={`Search in ${label}`}
          value={wanted}
          onChange={(event) => setWanted(event.target.value)}
        />
      )}
      <pre tabIndex={0} aria-label={label}>
        {shown.map(({ text, reference }, index) => (
          <span key={index} className="json-line">
            {text}
            {reference !== '' && (
              <button
                type="button"
                tabIndex={-1}
                aria-label={`Copy ${reference}`}
                title={`Copy ${reference}`}
                onClick={() => void navigator.clipboard.writeText(reference)}
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

interface Line {
  readonly text: string;
  /** `${…}` for this value; '' where there is no path. */
  readonly reference: string;
}

function linesOf(value: unknown, root: string): readonly Line[] {
  const lines: Line[] = [];
  const write = (each: unknown, path: string, indent: string, head: string, tail: string): void => {
    const reference = root === '' || path === root ? '' : `\${${path}}`;
    if (each === null || typeof each !== 'object') {
      lines.push({ text: indent + head + (JSON.stringify(each) ?? 'null') + tail, reference });
      return;
    }
    const isList = Array.isArray(each);
    const [open, close] = isList ? '[]' : '{}';
    const members = Object.entries(each);
    if (members.length === 0) {
      lines.push({ text: `${indent}${head}${open}${close}${tail}`, reference });
      return;
    }
    lines.push({ text: indent + head + open, reference });
    members.forEach(([name, member], index) => {
      const below = isList ? `${path}[${name}]` : `${path}.${name}`;
      const comma = index < members.length - 1 ? ',' : '';
      write(member, below, `${indent}  `, isList ? '' : `${JSON.stringify(name)}: `, comma);
    });
    lines.push({ text: indent + close + tail, reference: '' });
  };
  write(value, root, '', '', '');
  return lines;
}
