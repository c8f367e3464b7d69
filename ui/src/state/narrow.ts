// How much room the window has: tables and comparisons are drawn otherwise in a narrow one, and a
// list beside a pane shows all its columns only in a roomy one.
import { useSyncExternalStore } from 'react';

/** The same bound as in the style sheets. */
const narrow = matchMedia('(max-width: 760px)');
const roomy = matchMedia('(min-width: 1680px)');

function useMedia(query: MediaQueryList): boolean {
  return useSyncExternalStore(
    (changed) => {
      query.addEventListener('change', changed);
      return () => query.removeEventListener('change', changed);
    },
    () => query.matches,
  );
}

export const useNarrow = (): boolean => useMedia(narrow);
export const useRoomy = (): boolean => useMedia(roomy);
