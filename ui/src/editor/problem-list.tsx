// Lists the problems of a definition, each with its line: a click leads there and to its task, and
// a reference that was probably meant is put in by another one.
import type { ReactElement } from 'react';
import { Icon } from '../design/icon';
import { sentence } from '../state/format';
import type { Problem } from './problems';

interface ProblemListProps {
  readonly problems: readonly Problem[];
  /** In the text, from 1. */
  readonly lineOf: (path: string) => number;
  readonly choose: (problem: Problem) => void;
  readonly repair: (repair: { readonly from: string; readonly to: string }) => void;
}

export function ProblemList(props: ProblemListProps): ReactElement | null {
  const { problems, lineOf, choose, repair } = props;
  if (problems.length === 0) return null;
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const warnings = problems.length - errors;
  return (
    <section className="problems-pane" aria-label="Problems">
      <h2>
        Problems
        {errors > 0 && <span className="pill bad">{errors}</span>}
        {warnings > 0 && (
          <span className="quiet">
            {errors > 0 && 'and '}
            {warnings} {warnings === 1 ? 'warning' : 'warnings'}
          </span>
        )}
      </h2>
      <ul>
        {problems.map((problem) => (
          <li key={problem.path + problem.message} data-severity={problem.severity}>
            <Icon name={problem.severity === 'error' ? 'st-bad' : 'warn'} className="s" />
            <span className="reason">
              <span className="hidden-text">
                {problem.severity === 'error' ? 'Error: ' : 'Warning: '}
              </span>
              {sentence(problem.message)}{' '}
              {problem.repair !== undefined && (
                <button
                  type="button"
                  className="link"
                  onClick={() => problem.repair && repair(problem.repair)}
                >
                  Use {problem.repair.to}
                </button>
              )}
            </span>
            <button type="button" className="button bare small" onClick={() => choose(problem)}>
              {problem.ref === undefined ? 'Show it' : `Show ${problem.ref}`}
            </button>
            <span className="quiet num" title="Line of the text">
              {lineOf(problem.path)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
