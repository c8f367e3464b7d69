// Tells the nodes of a cluster what has changed, by topic, and only of topics that a node wants to
// hear of (a stream of changes is open there). Nothing is stored: a notice costs no Redis command,
// and a topic that nobody wants costs one lookup.
//
// A node announces a topic to all others when its first listener comes, and waits for their
// answers, so that no change is missed that is committed after its listeners are told that they
// listen. It takes the topic back some time after the last listener has gone, so that one that
// reconnects has missed nothing. Changes are collected for `flushEveryMs`; those of one key are
// merged. Each batch carries the number of the one before it for that node. A gap, a link that was
// lost or is made anew, and a topic with too many changes at a time mean that changes were missed:
// the listeners are told so and read the state again.
import type { Clock, TimerHandle } from '../std/clock.js';
import type { Json } from '../model/json.js';
import type { Peers } from './peer/peers.js';

const operation = { wanted: 'topics-wanted', changes: 'topic-changes' } as const;

/** Changes of one key within this time are told as one, ms. */
const flushEveryMs = 100;
/** A topic without listeners stays announced for so long, ms. */
export const topicLingerMs = 30_000;
/** How long a listener waits for the answers of the other nodes, ms. */
const announceTimeoutMs = 1000;
/** Keys that change within one flush, per topic; beyond it the topic has missed changes. */
const keysPerFlushMax = 2000;

/** One thing that has changed. */
export interface TopicChange {
  readonly topic: string;
  /** Names the thing within the topic; a later change of it replaces or extends this one. */
  readonly key: string;
  readonly content: Json;
}

/** Makes one change of two of the same key; undefined: they are too much for one notice. */
export type MergeChanges = (before: Json, now: Json) => Json | undefined;

export interface TopicListener {
  changed(changes: readonly TopicChange[]): void;
  /** Changes of these topics were lost; undefined: of any. */
  missed(topics: readonly string[] | undefined): void;
}

interface WantedBody {
  readonly topics: readonly string[];
  readonly isWanted: boolean;
}

interface ChangesBody {
  /** Of the batches from this sender to this receiver. */
  readonly number: number;
  readonly changes: readonly TopicChange[];
  readonly missed: readonly string[];
}

interface Pending {
  readonly contents: Map<string, Json>;
  hasMissed: boolean;
}

export class TopicNotices {
  /** Other nodes by topic. */
  readonly #wantedBy = new Map<string, Set<string>>();
  /** Topics of this node's listeners: the timer that takes it back, once nobody listens. */
  readonly #own = new Map<string, TimerHandle | undefined>();
  #pending = new Map<string, Pending>();
  #flush: TimerHandle | undefined;
  readonly #sent = new Map<string, number>();
  readonly #received = new Map<string, number>();
  readonly #up = new Set<string>();
  /** Those that have wanted a topic; each hears of all topics that this node wants. */
  readonly #listeners = new Set<TopicListener>();

  constructor(
    private readonly peers: Peers,
    private readonly clock: Clock,
  ) {
    peers.handle(operation.wanted, (body, { nodeId }) =>
      this.#heardWanted(nodeId, body as WantedBody),
    );
    peers.handle(operation.changes, (body, { nodeId }) =>
      this.#heardChanges(nodeId, body as ChangesBody),
    );
    peers.onUp((nodeId) => this.#introduce(nodeId));
    peers.onDown((nodeId) => this.#forget(nodeId));
  }

  /** Any topic is wanted by any node. */
  get isAnyWanted(): boolean {
    return this.#own.size > 0 || this.#wantedBy.size > 0;
  }

  isWanted(topic: string): boolean {
    return this.#own.has(topic) || this.#wantedBy.has(topic);
  }

  /** `listener` hears of the topics from now on: resolves when the other nodes know it. */
  async want(topics: readonly string[], listener: TopicListener): Promise<void> {
    this.#listeners.add(listener);
    const added: string[] = [];
    for (const topic of topics) {
      if (!this.#own.has(topic)) added.push(topic);
      this.#own.get(topic)?.cancel();
      this.#own.set(topic, undefined);
    }
    if (added.length === 0) return;
    const body: WantedBody = { topics: added, isWanted: true };
    const options = { timeoutMs: announceTimeoutMs };
    // A node that does not answer is told when its link is up again, which counts as a loss.
    await Promise.allSettled(
      this.peers.connected.map((nodeId) =>
        this.peers.call(nodeId, operation.wanted, body, options),
      ),
    );
  }

  /** Nobody listens to the topic on this node any more. */
  unwant(topic: string): void {
    if (!this.#own.has(topic)) return;
    this.#own.get(topic)?.cancel();
    const timer = this.clock.after(topicLingerMs, () => {
      this.#own.delete(topic);
      this.#missed([topic]);
      for (const nodeId of this.peers.connected) {
        this.peers.notify(nodeId, operation.wanted, { topics: [topic], isWanted: false });
      }
    });
    this.#own.set(topic, timer);
  }

  /** Something has changed; the caller has looked whether its topic is wanted. */
  publish({ topic, key, content }: TopicChange, merge?: MergeChanges): void {
    const pending = this.#pendingOf(topic);
    if (pending.hasMissed) return;
    const before = pending.contents.get(key);
    const merged = before === undefined || merge === undefined ? content : merge(before, content);
    if (merged === undefined || pending.contents.size >= keysPerFlushMax) this.lose(topic);
    else pending.contents.set(key, merged);
  }

  /** More of the topic has changed than is told. */
  lose(topic: string): void {
    const pending = this.#pendingOf(topic);
    pending.hasMissed = true;
    pending.contents.clear();
  }

  #pendingOf(topic: string): Pending {
    let pending = this.#pending.get(topic);
    if (pending === undefined) {
      pending = { contents: new Map(), hasMissed: false };
      this.#pending.set(topic, pending);
    }
    this.#flush ??= this.clock.after(flushEveryMs, () => this.#sendAll());
    return pending;
  }

  #sendAll(): void {
    const all = this.#pending;
    this.#pending = new Map();
    this.#flush = undefined;
    const forNodes = new Map<string, Set<string>>();
    for (const topic of all.keys()) {
      for (const nodeId of this.#wantedBy.get(topic) ?? []) {
        const topics = forNodes.get(nodeId);
        if (topics === undefined) forNodes.set(nodeId, new Set([topic]));
        else topics.add(topic);
      }
    }
    for (const [nodeId, topics] of forNodes) {
      const number = (this.#sent.get(nodeId) ?? 0) + 1;
      this.#sent.set(nodeId, number);
      const body: ChangesBody = { number, ...batchOf(all, topics) };
      this.peers.notify(nodeId, operation.changes, body);
    }
    const own = [...all.keys()].filter((topic) => this.#own.has(topic));
    if (own.length > 0) this.#hand(batchOf(all, own));
  }

  #hand({ changes, missed }: Omit<ChangesBody, 'number'>): void {
    if (missed.length > 0) this.#missed(missed);
    if (changes.length > 0) for (const listener of this.#listeners) listener.changed(changes);
  }

  #missed(topics: readonly string[] | undefined): void {
    for (const listener of this.#listeners) listener.missed(topics);
  }

  #heardChanges(nodeId: string, { number, ...batch }: ChangesBody): Promise<undefined> {
    const before = this.#received.get(nodeId) ?? 0;
    this.#received.set(nodeId, number);
    if (number !== before + 1) this.#missed(undefined);
    this.#hand(batch);
    return Promise.resolve(undefined);
  }

  #heardWanted(nodeId: string, { topics, isWanted }: WantedBody): Promise<undefined> {
    for (const topic of topics) {
      const nodes = this.#wantedBy.get(topic);
      if (isWanted) {
        if (nodes === undefined) this.#wantedBy.set(topic, new Set([nodeId]));
        else nodes.add(nodeId);
      } else if (nodes?.delete(nodeId) === true && nodes.size === 0) this.#wantedBy.delete(topic);
    }
    return Promise.resolve(undefined);
  }

  /** The node knows nothing of this one's topics, and what it told may have been lost. */
  #introduce(nodeId: string): void {
    this.#up.add(nodeId);
    if (this.#own.size === 0) return;
    const body: WantedBody = { topics: [...this.#own.keys()], isWanted: true };
    this.peers.notify(nodeId, operation.wanted, body);
    this.#missed(undefined);
  }

  /** Called for each failed attempt to connect, too. */
  #forget(nodeId: string): void {
    const wasUp = this.#up.delete(nodeId);
    this.#sent.delete(nodeId);
    this.#received.delete(nodeId);
    for (const [topic, nodes] of this.#wantedBy) {
      if (nodes.delete(nodeId) && nodes.size === 0) this.#wantedBy.delete(topic);
    }
    if (wasUp && this.#own.size > 0) this.#missed(undefined);
  }
}

function batchOf(
  all: ReadonlyMap<string, Pending>,
  topics: Iterable<string>,
): Omit<ChangesBody, 'number'> {
  const changes: TopicChange[] = [];
  const missed: string[] = [];
  for (const topic of topics) {
    const pending = all.get(topic);
    if (pending?.hasMissed === true) missed.push(topic);
    for (const [key, content] of pending?.contents ?? []) changes.push({ topic, key, content });
  }
  return { changes, missed };
}
