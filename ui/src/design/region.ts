// The parts of a page that could not be loaded. Each part tells its region; where several failed
// for one reason, the region says so once, with a Retry for all of them, and they stay quiet.
import { createContext, useCallback, useContext, useEffect, useId, useRef, useState } from 'react';

export interface PartFailure {
  readonly id: string;
  readonly error: Error;
  readonly retry: () => void;
}

export interface Region {
  readonly failures: readonly PartFailure[];
  /** Returns how to take it back. */
  readonly tell: (failure: PartFailure) => () => void;
}

/** Undefined: each part says itself what failed. */
export const RegionContext = createContext<Region | undefined>(undefined);

export function useRegion(): Region {
  const [failures, set] = useState<readonly PartFailure[]>([]);
  const tell = useCallback((failure: PartFailure) => {
    set((all) => [...all, failure]);
    return () => set((all) => all.filter((each) => each !== failure));
  }, []);
  return { failures, tell };
}

/** The failures that more than one part has, each reason once, with how to ask all of them anew. */
export function sharedFailures(failures: readonly PartFailure[]): readonly PartFailure[] {
  const reasons = new Set(failures.map(({ error }) => error.message));
  return [...reasons].flatMap((reason) => {
    const alike = failures.filter(({ error }) => error.message === reason);
    const [first, second] = alike;
    if (first === undefined || second === undefined) return [];
    return { ...first, retry: () => alike.forEach(({ retry }) => retry()) };
  });
}

/** Tells the region; true where the region says it for this part. `error` null: nothing failed. */
export function useToldByRegion(error: Error | null, retry: () => void): boolean {
  const region = useContext(RegionContext);
  const id = useId();
  const latest = useRef(retry);
  useEffect(() => {
    latest.current = retry;
  });
  const tell = region?.tell;
  useEffect(() => {
    if (error === null || tell === undefined) return undefined;
    return tell({ id, error, retry: () => latest.current() });
  }, [id, error, tell]);
  if (region === undefined || error === null) return false;
  return region.failures.some((each) => each.id !== id && each.error.message === error.message);
}
