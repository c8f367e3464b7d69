// The list of what is wrong with a definition; a line that belongs to a task leads to it.
import type { ReactElement } from 'react';
import type { Problem } from './problems';

interface ProblemListProps {
  readonly problems: readonly Problem[];
  readonly choose: (ref: string) => void;
}

export function ProblemList({ problems, choose }: ProblemListProps): ReactElement | null {
  if (problems.length === 0) return null;
  return (
    <section className="stack" aria-label="Problems">
      <h2>Problems ({problems.length})</h2>
      <ul className="problems">
        {problems.map(({ path, message, severity, ref }) => (
          <li key={path + message} data-severity={severity} className="reason">
            {severity === 'error' ? 'Error' : 'Warning'}
            {path !== '' && (
              <>
                {' at '}
                <code>{path.replace(/^\w+\.arg\d+\.?/, '')}</code>
              </>
            )}
            {`: ${message} `}
            {ref !== undefined && (
              <button type="button" className="button bare small" onClick={() => choose(ref)}>
                Show {ref}
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
