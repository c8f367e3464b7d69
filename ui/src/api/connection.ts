// Whether the server can be reached. A request without an answer marks it as away; from then on it
// is asked again and again until it answers, and all who wait for it go on.
import { useSyncExternalStore } from 'react';

const askEveryMs = 1000;

let awaySince: number | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

/** A request got an answer, whatever it was. */
export function markReached(): void {
  if (awaySince === undefined) return;
  awaySince = undefined;
  clearTimeout(timer);
  tell();
}

/** A request got no answer. */
export function markAway(): void {
  if (awaySince !== undefined) return;
  awaySince = Date.now();
  timer = setTimeout(askAgain, askEveryMs);
  tell();
}

/** Asks now. */
export async function isServerThere(): Promise<boolean> {
  try {
    await fetch(new URL('health', document.baseURI), { cache: 'no-store' });
    markReached();
    return true;
  } catch {
    markAway();
    return false;
  }
}

export function whenServerIsBack(): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (awaySince !== undefined) return;
      listeners.delete(look);
      resolve();
    };
    listeners.add(look);
    // It may have come back since the caller asked.
    look();
  });
}

/** Since when the server cannot be reached, epoch ms; undefined while it answers. */
export function useAwaySince(): number | undefined {
  return useSyncExternalStore(onConnection, () => awaySince);
}

function askAgain(): void {
  void isServerThere().then((isThere) => {
    if (!isThere) timer = setTimeout(askAgain, askEveryMs);
  });
}

function onConnection(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function tell(): void {
  for (const listener of listeners) listener();
}
