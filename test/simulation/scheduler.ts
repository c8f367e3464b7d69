// Time and chance of a simulation. Everything that takes time is an event here: a timer, a message
// on its way, a turn of a node's event loop. Events happen one at a time in order of their moment;
// after each one all promises that it settles are followed to their end (`process.nextTick` comes
// after the last microtask), so nothing depends on the machine.
import crypto from 'node:crypto';
import { createRandom, type Random } from '../torture/random.js';

export interface Scheduled {
  cancel(): void;
  /** As of the platform's timers: nothing depends on it here. */
  unref(): void;
}

interface Entry {
  readonly at: number;
  readonly order: number;
  fire: (() => void) | undefined;
}

export const startOfTime = 1_800_000_000_000;
/** A run of a few nodes that has so many events goes round in circles. */
export const eventsMax = 400_000;
/** Traced text is hashed in portions of so many characters: each call of the hash is costly. */
const portionChars = 1 << 16;

export class Scheduler {
  readonly random: Random;
  #now = startOfTime;
  #order = 0;
  #events = 0;
  readonly #heap: Entry[] = [];
  readonly #trace = crypto.createHash('sha1');
  /** Not hashed yet. */
  #traced = '';

  constructor(
    readonly seed: number,
    private readonly eventsAllowed = eventsMax,
  ) {
    this.random = createRandom(seed);
  }

  get now(): number {
    return this.#now;
  }

  get events(): number {
    return this.#events;
  }

  after(delayMs: number, fire: () => void): Scheduled {
    const at = this.#now + Math.max(0, delayMs);
    const entry: Entry = { at, order: (this.#order += 1), fire };
    push(this.#heap, entry);
    return { cancel: () => (entry.fire = undefined), unref: () => undefined };
  }

  chance(probability: number): boolean {
    return this.random.next() < probability;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.random.between(0, items.length - 1)] as T;
  }

  bytes(length: number): Buffer {
    const bytes = Buffer.alloc(length);
    for (let i = 0; i < length; i++) bytes[i] = this.random.between(0, 255);
    return bytes;
  }

  /** Notes something in the hash that two runs of a seed must share. */
  trace(...words: (string | number)[]): void {
    this.#traced += `${this.#now} ${words.join(' ')}\n`;
    if (this.#traced.length >= portionChars) this.#hashTraced();
  }

  #hashTraced(): void {
    this.#trace.update(this.#traced);
    this.#traced = '';
  }

  get traceHash(): string {
    this.#hashTraced();
    return this.#trace.copy().digest('hex');
  }

  /** Lets events happen until `isDone` or the moment `untilAt`. */
  async run(untilAt: number, isDone: () => boolean): Promise<void> {
    await settled();
    while (!isDone()) {
      const next = this.#heap[0];
      if (next === undefined || next.at > untilAt) {
        this.#now = untilAt;
        return;
      }
      pop(this.#heap);
      const { fire } = next;
      if (fire === undefined) continue;
      if ((this.#events += 1) > this.eventsAllowed)
        throw new Error('The run does not come to an end');
      this.#now = next.at;
      fire();
      await settled();
    }
  }
}

/** Resolves once nothing is left to do without an event. */
function settled(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}

function isBefore(a: Entry, b: Entry): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

function push(heap: Entry[], entry: Entry): void {
  let place = heap.push(entry) - 1;
  while (place > 0) {
    const parent = (place - 1) >> 1;
    if (!isBefore(entry, heap[parent] as Entry)) break;
    heap[place] = heap[parent] as Entry;
    place = parent;
  }
  heap[place] = entry;
}

function pop(heap: Entry[]): void {
  const last = heap.pop() as Entry;
  if (heap.length === 0) return;
  let place = 0;
  for (;;) {
    let child = 2 * place + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && isBefore(heap[child + 1] as Entry, heap[child] as Entry))
      child++;
    if (!isBefore(heap[child] as Entry, last)) break;
    heap[place] = heap[child] as Entry;
    place = child;
  }
  heap[place] = last;
}
