// The newest events of this node's streams, for readers that come back after a moment: they are
// sent what they have missed. Bounded by number and size; the oldest go first.
import type { TopicChange } from '../../placement/topic-notices.js';

export interface LiveEvent {
  readonly number: number;
  readonly topic: string;
  readonly changes: readonly TopicChange[];
}

export interface RingLimits {
  readonly eventsMax: number;
  /** Of all contents, roughly. */
  readonly charsMax: number;
}

export class EventRing {
  readonly #events: { readonly event: LiveEvent; readonly chars: number }[] = [];
  #chars = 0;
  /** Events up to this one are not here any more. */
  #lost = 0;

  constructor(private readonly limits: RingLimits) {}

  /** `chars`: length of its contents. */
  add(event: LiveEvent, chars: number): void {
    this.#events.push({ event, chars });
    this.#chars += chars;
    while (this.#events.length > this.limits.eventsMax || this.#chars > this.limits.charsMax) {
      const oldest = this.#events.shift();
      if (oldest === undefined) return;
      this.#chars -= oldest.chars;
      this.#lost = oldest.event.number;
    }
  }

  /** Events of the topic after this number; undefined when some are not here any more. */
  after(number: number, topic: string): LiveEvent[] | undefined {
    if (number < this.#lost) return undefined;
    return this.#events
      .filter(({ event }) => event.number > number && event.topic === topic)
      .map(({ event }) => event);
  }
}
