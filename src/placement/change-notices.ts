// A change of definitions or records is acknowledged once the other nodes show it: a caller that
// has registered a definition, made a user or taken a right away finds it so at every node. The
// node that stored it asks all nodes that it has a link to, and waits for their answers for a
// bounded time; a node without a link, or one that does not answer, finds the change by itself
// (definitions.ts, record-tables.ts).
import type { Peers } from './peer/peers.js';

const operation = 'changed';

/** How long a change waits for nodes that do not answer, ms. */
export const changeNoticeMs = 500;

/** The parts of a node that follow the store. */
export interface Followers {
  readonly definitions: Follower;
  readonly records: Follower;
}

interface Follower {
  /** Resolves once memory shows what was stored before the call. */
  refresh(): Promise<void>;
}

/** Tells the other nodes that something has changed; never rejects. */
export type TellOthers = (what: keyof Followers) => Promise<void>;

export function tellingOthers(peers: Peers): TellOthers {
  const tell = (nodeId: string, what: keyof Followers): Promise<unknown> =>
    peers.call(nodeId, operation, what, { timeoutMs: changeNoticeMs });
  return async (what) => {
    await Promise.allSettled(peers.connected.map((nodeId) => tell(nodeId, what)));
  };
}

/** Follows the store when another node says that something has changed. */
export function answerChanges(peers: Peers, followers: Followers): void {
  peers.handle(operation, async (what) => {
    await (what === 'definitions' ? followers.definitions : followers.records).refresh();
  });
}
