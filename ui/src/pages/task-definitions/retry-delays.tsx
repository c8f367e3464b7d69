// How long each retry of a task waits, drawn from its definition as it is typed.
import type { ReactElement } from 'react';
import type { TaskDef } from '../../api/types';
import { duration } from '../../state/format';

const attemptsMax = 10;

function delayBefore(definition: TaskDef, retry: number): number {
  const { retryDelaySeconds: first, retryLogic, backoffScaleFactor: factor } = definition;
  const most = definition.maxRetryDelaySeconds || Infinity;
  const seconds =
    retryLogic === 'EXPONENTIAL_BACKOFF'
      ? first * 2 ** retry
      : retryLogic === 'LINEAR_BACKOFF'
        ? first * (factor || 1) * (retry + 1)
        : first;
  return Math.min(most, seconds) * 1000;
}

export function RetryDelays({ definition }: { readonly definition: TaskDef }): ReactElement {
  const retries = Math.min(attemptsMax, Number(definition.retryCount) || 0);
  const delays = Array.from({ length: retries }, (_, retry) => delayBefore(definition, retry));
  const longest = Math.max(1, ...delays);
  return (
    <section className="panel" aria-label="Retries">
      <h2>Retries</h2>
      {retries === 0 ? (
        <p>A failure is final.</p>
      ) : (
        <ul className="plain">
          {delays.map((ms, retry) => (
            <li key={retry} className="delay">
              <span>Retry {retry + 1}</span>
              <span className="delay-bar">
                <i style={{ width: `${(ms / longest) * 100}%` }} />
              </span>
              <span>{duration(ms)}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
