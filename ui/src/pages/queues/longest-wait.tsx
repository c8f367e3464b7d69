// How long the longest waiting task of a queue could have been handed out, as time goes on.
import { useEffect, useState, type ReactElement } from 'react';
import { duration } from '../../state/format';

const everyMs = 1000;

/** `since`: epoch ms. */
export function LongestWait({ since }: { readonly since: number }): ReactElement {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, []);
  return <>{duration(now - since)}</>;
}
