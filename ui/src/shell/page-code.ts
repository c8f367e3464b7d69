// The code of the pages, and how it stays in the browser. Once the first page is there, the code of
// all others is fetched into the browser's cache, one file after another, so that a page that was
// never opened opens while the server is away. The page waits for code that could not be fetched.
import { isServerThere, whenServerIsBack } from '../api/connection';

/** Loads the code of a page; waits while the server is away. */
export async function loadCode<Module>(load: () => Promise<Module>): Promise<Module> {
  for (;;) {
    try {
      return await load();
    } catch (error) {
      // The server answers, but not with this code: it may be of another version now.
      if (await isServerThere()) throw error;
      await whenServerIsBack();
    }
  }
}

/** Begins when the page is there and the browser has nothing else to do. */
export function fetchCodeAhead(): void {
  const names = document.querySelector('meta[name=page-code]')?.getAttribute('content') ?? '';
  const files = names.split(' ').filter((name) => name !== '');
  whenLoaded(() => whenIdle(() => void fetchAll(files)));
}

/**
 * Lets the browser keep the page, so that an address loaded anew while the server is away shows it
 * (service-worker.js). Browsers do so for pages over HTTPS and on this machine only.
 */
export function keepInBrowser(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  const register = (): void => {
    // Without it the page works as before, but for such an address.
    navigator.serviceWorker
      .register(new URL('sw.js', document.baseURI), { updateViaCache: 'none' })
      .catch(() => undefined);
  };
  whenLoaded(() => whenIdle(register));
}

async function fetchAll(files: readonly string[]): Promise<void> {
  for (const file of files) {
    try {
      const answer = await fetch(new URL(file, document.baseURI), { priority: 'low' });
      // Only what was read to its end is kept.
      await answer.arrayBuffer();
    } catch {
      // The rest comes when its page is opened.
      return;
    }
  }
}

function whenLoaded(call: () => void): void {
  if (document.readyState === 'complete') call();
  else addEventListener('load', call, { once: true });
}

const laterMs = 1000;

function whenIdle(call: () => void): void {
  // Not every browser tells when it is idle.
  if (typeof requestIdleCallback === 'function') requestIdleCallback(call);
  else setTimeout(call, laterMs);
}
