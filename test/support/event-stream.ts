// A reader of server-sent events for tests: keeps every event that came, and waits for one.
import { until } from '../../testkit/until.js';

export interface StreamEvent {
  readonly id: string;
  readonly event: string;
  /** Parsed data. */
  readonly data: any; // eslint-disable-line @typescript-eslint/no-explicit-any
}

/** Events of a piece of text that ends between two events. */
export function parseEvents(text: string): StreamEvent[] {
  return text
    .split('\n\n')
    .filter((frame) => frame.startsWith('id: '))
    .map((frame) => {
      const field = (name: string): string =>
        frame
          .split('\n')
          .find((line) => line.startsWith(`${name}: `))
          ?.slice(name.length + 2) ?? '';
      return { id: field('id'), event: field('event'), data: JSON.parse(field('data')) };
    });
}

export class EventStreamReader {
  readonly events: StreamEvent[] = [];
  /** Comments that came. */
  comments = 0;
  #text = '';
  #isOver = false;

  private constructor(
    readonly response: Response,
    private readonly abort: AbortController,
  ) {
    void this.#read();
  }

  /** Resolves with the reader once `ready` has come, or with the answer that refused the stream. */
  static async open(
    url: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<EventStreamReader> {
    const abort = new AbortController();
    const response = await fetch(url, { headers, signal: abort.signal });
    if (response.status !== 200) {
      throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
    }
    const reader = new EventStreamReader(response, abort);
    await reader.next('ready', ({ event }) => event === 'ready');
    return reader;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get lastId(): string {
    return this.events.at(-1)?.id ?? '';
  }

  /** The first event that fits, also one that has come already. */
  next(what: string, fits: (event: StreamEvent) => boolean): Promise<StreamEvent> {
    return until(`the event: ${what}`, () => this.events.find(fits));
  }

  close(): void {
    this.abort.abort();
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    try {
      for await (const bytes of this.response.body as unknown as AsyncIterable<Uint8Array>) {
        this.#text += decoder.decode(bytes, { stream: true });
        const end = this.#text.lastIndexOf('\n\n');
        if (end < 0) continue;
        const whole = this.#text.slice(0, end + 2);
        this.#text = this.#text.slice(end + 2);
        this.comments += whole.split(':\n\n').length - 1;
        this.events.push(...parseEvents(whole));
      }
    } catch {
      // Closed by this side, or the server has gone.
    }
    this.#isOver = true;
  }
}
