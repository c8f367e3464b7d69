// Holds the answer of a call back until replicas, and disks, have what it rests on (levels D1 and
// D2 of invariants section 2).
//
// WAIT and WAITAOF speak of the newest write of their connection. From Redis 7.2 on a call that
// wrote nothing is none: neither a read nor a script that changed nothing would wait, though what
// it saw may be a write of somebody else that a failover undoes. So a mark follows each call: a
// command that changes nothing and goes to the replicas all the same, behind what the call saw. A
// message on a channel is one. In a cluster messages do not go the way of writes: there the mark
// is a key that is written and removed at once, for the replicas alone. For WAITAOF it goes to the
// file as well: Valkey 7.2 waits for ever for the sync of what does not.
//
// A replica says what it has on disk when it is asked, and once a second. WAITAOF asks while the
// write has just arrived and is not on disk yet, so it would wait for that second. Behind a WAIT it
// asks a moment later, and a write takes 1 ms.
import type { Redis } from 'ioredis';
import { StoreError } from '../store/execution-store.js';
import { tagOf, type ClusterRoute } from './cluster-route.js';

/** Sends at once; returns a promise of the answer. */
export type Sender = (server: Redis) => unknown;

/** Where a call goes. */
export interface Place {
  readonly server: Redis;
  /** Decides its slot. */
  readonly key: string | undefined;
  /** Whether the slot still moves to the server. */
  readonly asks: boolean;
}

/** The confirmation that a call waits for besides its answer. */
export interface Confirmation {
  /** That have received it, and have it on disk where that is asked for. */
  readonly replicas: number;
  /** At the primary and at these replicas. */
  readonly onDisk: boolean;
  /** Of all of it. */
  readonly timeoutMs: number;
  /** The key, or the channel, of a mark; the tag decides its slot. */
  readonly markKey: (tag: string) => string;
}

/** Its flag lets it run in a Redis that is full; scripts before Redis 7 have none. */
const markFor = (to: 'REPL_REPLICA' | 'REPL_ALL'): string => `#!lua flags=allow-oom
redis.set_repl(redis.${to})
redis.call('SET', KEYS[1], '')
redis.call('UNLINK', KEYS[1])`;
const markForReplicas = markFor('REPL_REPLICA');
const markForFiles = markFor('REPL_ALL');

/** Slots of a server that may move at the same time. */
const marksMax = 8;

/** Files of the primary and of replicas that have it, or replicas that have received it. */
type Confirmed = readonly [files: number, replicas: number];
const unconfirmed: Confirmed = [0, 0];

export class Barrier {
  /** `route`: in a cluster. */
  constructor(
    private readonly needed: Confirmation,
    private readonly route: ClusterRoute | undefined,
  ) {}

  /** The answer. Rejects with StoreError 'unclear' when it was not confirmed in time. */
  async hold(place: Place, send: Sender): Promise<unknown> {
    const answer = send(place.server);
    const confirming = this.#confirm(place);
    confirming.catch(() => undefined);
    const sent = await answer;
    const { replicas, onDisk, timeoutMs } = this.needed;
    const [files, confirmed] = await confirming;
    if (files >= (onDisk ? 1 : 0) && confirmed >= replicas) return sent;
    const who =
      onDisk && files === 0 ? 'No file of Redis' : `${confirmed} of ${replicas} replicas of Redis`;
    throw new StoreError('unclear', `${who} confirmed a write in ${timeoutMs} ms`);
  }

  /** The first mark and what follows it are sent before this returns. */
  async #confirm({ server, key = '', asks }: Place): Promise<Confirmed> {
    const mark = this.needed.markKey(this.route === undefined ? '' : tagOf(key));
    // Rejected together with the mark.
    if (asks) server.asking().catch(() => undefined);
    const [marked, waited] = [this.#mark(server, mark), this.#wait(server)];
    if (await marked) return await waited;
    // The slot moves away.
    let left = marksMax;
    for (const tag of this.route?.tagsAt(server) ?? []) {
      if ((left -= 1) < 0) break;
      if (await this.#mark(server, this.needed.markKey(tag))) return await this.#wait(server);
    }
    return unconfirmed;
  }

  /** Whether what follows will wait for what came before. */
  async #mark(server: Redis, key: string): Promise<boolean> {
    try {
      if (this.needed.onDisk) await server.eval(markForFiles, 1, key);
      else if (this.route === undefined) await server.publish(key, '');
      else await server.eval(markForReplicas, 1, key);
      return true;
    } catch (error) {
      // Before Redis 7, where a call that wrote nothing waits without a mark.
      return (error as Error).message.includes('compiling script');
    }
  }

  async #wait(server: Redis): Promise<Confirmed> {
    const { replicas, onDisk, timeoutMs } = this.needed;
    const receivedMs = onDisk ? Math.ceil(timeoutMs / 2) : timeoutMs;
    const [received, stored] = await Promise.allSettled([
      replicas === 0 ? 0 : server.call('WAIT', replicas, receivedMs),
      onDisk ? server.call('WAITAOF', 1, replicas, timeoutMs - receivedMs) : undefined,
    ]);
    if (!onDisk) return received.status === 'rejected' ? unconfirmed : [0, Number(received.value)];
    if (stored.status === 'rejected') return unconfirmed;
    const [files, confirmed] = stored.value as [number, number];
    return [Number(files), Number(confirmed)];
  }
}
