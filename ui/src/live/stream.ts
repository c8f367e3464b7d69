// The stream of changes that the server sends by itself: one connection for all topics that the
// parts of the page in sight listen to. While it is not there (an older server, too many streams, a
// lost connection) `useLive` says so, and its users ask again and again instead. A hidden tab has
// no connection: browsers share a few of them among all tabs.
import { useEffect, useRef, useState } from 'react';
import { basePath } from '../api/client';
import { isServerThere } from '../api/connection';

/** `ready` and `reset`: what is known of the topic may be out of date; it is to be read again. */
export type LiveMessage =
  { readonly kind: 'ready' | 'reset' } | { readonly kind: 'told'; readonly data: unknown };

interface Listener {
  hear(message: LiveMessage): void;
  live(isLive: boolean): void;
}

/** Topics of pages that are left and opened in one go change the connection once, ms. */
const settleMs = 50;
/** After a refusal, ms. */
const againMs = 30_000;
const events = ['executions', 'execution', 'job', 'inbox', 'queues', 'overview'] as const;

class ChangeStream {
  readonly #listeners = new Map<string, Set<Listener>>();
  #source: EventSource | undefined;
  #topics = '';
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    document.addEventListener('visibilitychange', () => this.#settle(0));
  }

  listen(topic: string, listener: Listener): () => void {
    const known = this.#listeners.get(topic);
    if (known === undefined) this.#listeners.set(topic, new Set([listener]));
    else known.add(listener);
    // A topic that others listen to is told already: its newcomer reads the state for itself.
    if (known !== undefined && this.#source?.readyState === EventSource.OPEN) listener.live(true);
    this.#settle(settleMs);
    return () => {
      const left = this.#listeners.get(topic);
      left?.delete(listener);
      if (left?.size === 0) this.#listeners.delete(topic);
      this.#settle(settleMs);
    };
  }

  #settle(delayMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#connect(), delayMs);
  }

  #connect(): void {
    const topics = document.hidden ? '' : [...this.#listeners.keys()].sort().join(',');
    const isClosed = this.#source?.readyState === EventSource.CLOSED;
    if (topics === this.#topics && !isClosed) return;
    this.#source?.close();
    this.#source = undefined;
    this.#topics = topics;
    this.#eachListener(({ live }) => live(false));
    if (topics === '') return;
    const address = `${basePath}api/stream?topics=${encodeURIComponent(topics)}`;
    const source = new EventSource(address);
    this.#source = source;
    source.addEventListener('ready', () => {
      this.#eachListener(({ hear, live }) => {
        live(true);
        hear({ kind: 'ready' });
      });
    });
    source.addEventListener('reset', ({ data }: MessageEvent<string>) => {
      const { topics: lost } = JSON.parse(data) as { readonly topics: readonly string[] };
      for (const topic of lost) this.#tell(topic, { kind: 'reset' });
    });
    for (const event of events) {
      source.addEventListener(event, ({ data: text }: MessageEvent<string>) => {
        const data = JSON.parse(text) as { readonly topic: string };
        this.#tell(data.topic, { kind: 'told', data });
      });
    }
    source.addEventListener('error', () => {
      this.#eachListener(({ live }) => live(false));
      void isServerThere();
      // The browser connects again by itself unless the server refused.
      if (source.readyState === EventSource.CLOSED) this.#settle(againMs);
    });
  }

  #tell(topic: string, message: LiveMessage): void {
    for (const { hear } of this.#listeners.get(topic) ?? []) hear(message);
  }

  #eachListener(call: (listener: Listener) => void): void {
    for (const listeners of this.#listeners.values()) for (const each of listeners) call(each);
  }
}

let stream: ChangeStream | undefined;

/** Listens to a topic while the caller is shown. True while the server tells of it. */
export function useLive(topic: string | undefined, hear: (message: LiveMessage) => void): boolean {
  const [isLive, setLive] = useState(false);
  const newest = useRef(hear);
  useEffect(() => {
    newest.current = hear;
  });
  useEffect(() => {
    if (topic === undefined) return undefined;
    stream ??= new ChangeStream();
    const stop = stream.listen(topic, {
      hear: (message) => newest.current(message),
      live: setLive,
    });
    return () => {
      stop();
      setLive(false);
    };
  }, [topic]);
  return isLive;
}
