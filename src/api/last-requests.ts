// The end of a server that closes. When a listener closes, the system resets connections that it
// has made and that nobody has accepted yet; so it closes right behind a short turn of the event
// loop, which has accepted all there were. Then: connections that clients keep open may bring a
// request at any moment, and one that arrives while its connection is closed is lost for a client
// that may not repeat it. So the server goes on answering, each time as the last answer of the
// connection, until nothing has come for a moment.
import { setTimeout } from 'node:timers/promises';

/** Without a request for so long, ms, the connections that are left are idle. */
const quietMs = 100;
const lookEveryMs = 10;

export interface OpenRequests {
  /** Being answered. */
  readonly running: number;
  readonly connections: number;
  /** When the newest request came while the server was leaving; `performance.now()`. */
  readonly newestAt: number;
}

/** A turn in which little but the listener was looked at takes no longer, ms. */
const shortTurnMs = 0.5;
/** On a node with so much to do that no turn is short, so many are waited for. */
const turnsMax = 200;

/** Resolves right behind a turn of the event loop in which new connections were just accepted. */
export async function whenAccepted(): Promise<void> {
  let before = Number.NEGATIVE_INFINITY;
  for (let turn = 0; turn < turnsMax; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
    const now = performance.now();
    if (now - before <= shortTurnMs) return;
    before = now;
  }
}

/** Resolves once nothing more is to be expected, or after `timeoutMs`. */
export async function lastRequests(open: () => OpenRequests, timeoutMs: number): Promise<void> {
  const startAt = performance.now();
  while (performance.now() - startAt < timeoutMs) {
    const { running, connections, newestAt } = open();
    const isQuiet = performance.now() - Math.max(newestAt, startAt) >= quietMs;
    if (running === 0 && (connections === 0 || isQuiet)) return;
    await setTimeout(lookEveryMs);
  }
}
