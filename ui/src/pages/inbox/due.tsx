// When a task of a person is due: how long that is from now, or for how long it is over.
import { useEffect, useState, type ReactElement } from 'react';
import { Status } from '../../design/status';
import { duration, moment } from '../../state/format';

const everyMs = 10_000;

/** `at`: epoch ms. */
export function Due({ at }: { readonly at: number }): ReactElement {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const waitMs = at > now ? Math.min(everyMs, at - now) : everyMs;
    const timer = setTimeout(() => setNow(Date.now()), waitMs);
    return () => clearTimeout(timer);
  }, [at, now]);
  return (
    <span title={moment(at)}>
      {at > now ? (
        `In ${duration(at - now)}`
      ) : (
        <Status status="TIMED_OUT" word={`Overdue by ${duration(now - at)}`} />
      )}
    </span>
  );
}
