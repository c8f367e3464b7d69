// Whether the window is narrow, as a phone is: tables and comparisons are drawn otherwise there.
import { useSyncExternalStore } from 'react';

/** The same bound as in the style sheets. */
const query = matchMedia('(max-width: 760px)');

function listen(changed: () => void): () => void {
  query.addEventListener('change', changed);
  return () => query.removeEventListener('change', changed);
}

export function useNarrow(): boolean {
  return useSyncExternalStore(listen, () => query.matches);
}
