// A value that changes at most so often: for what is asked again whenever something has changed.
import { useEffect, useRef, useState } from 'react';

const everyMsDefault = 1000;

/** The newest value, at most once in `everyMs`. */
export function useCalm<Value>(value: Value, everyMs = everyMsDefault): Value {
  const [shown, show] = useState(value);
  const shownAt = useRef(0);
  useEffect(() => {
    const waitMs = Math.max(0, shownAt.current + everyMs - Date.now());
    const timer = setTimeout(() => {
      shownAt.current = Date.now();
      show(value);
    }, waitMs);
    return () => clearTimeout(timer);
  }, [value, everyMs]);
  return shown;
}
