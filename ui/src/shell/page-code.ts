// The code of the pages. Once the first page is there, the code of all others is fetched into the
// browser's cache, one file after another, so that a page that was never opened can be opened while
// the server is away. What could not be fetched then is waited for.
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
  const begin = (): void => whenIdle(() => void fetchAll(files));
  if (document.readyState === 'complete') begin();
  else addEventListener('load', begin, { once: true });
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

const laterMs = 1000;

function whenIdle(call: () => void): void {
  // Not every browser tells when it is idle.
  if (typeof requestIdleCallback === 'function') requestIdleCallback(call);
  else setTimeout(call, laterMs);
}
