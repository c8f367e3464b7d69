// One open stream of server-sent events: who reads, which topics, and how an event is written. The
// sink cuts off a reader that does not take what it is sent, so nobody ever waits for one.
import { isAdministrator, type Caller } from '../../model/caller.js';
import { AppError } from '../../model/errors.js';
import { inboxTopic, type Topic } from '../../operation/live/topics.js';

/** Where the body of an answer goes. */
export interface StreamSink {
  /** False: the body has ended and nothing is sent. */
  write(piece: string): boolean;
  end(): void;
  onClose(listener: () => void): void;
}

export class LiveStream {
  readonly topics: ReadonlyMap<string, Topic>;
  /** The last event, by topic whose events are a whole state. */
  readonly #states = new Map<string, string>();

  constructor(
    readonly caller: Caller,
    topics: readonly Topic[],
    private readonly sink: StreamSink,
    /** Moment of a monotonic clock at which it ends, ms. */
    readonly endsAt: number,
    /** State of the identities when the caller was authenticated. */
    readonly identityRevision: number,
  ) {
    this.topics = new Map(topics.map((topic) => [topic.name, topic]));
  }

  /**
   * Callers with the same key see the same of a topic. undefined: the caller's token does not count
   * any more, and the stream ends.
   */
  viewerOf(topic: string): string | undefined {
    const { caller } = this;
    try {
      const seesAll = topic !== inboxTopic && isAdministrator(caller);
      return seesAll ? 'administrators' : `${caller.kind} ${caller.id}`;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      this.end();
      return undefined;
    }
  }

  /** `frame` is the text of one event. */
  send(frame: string): void {
    this.sink.write(frame);
  }

  /** Sends the state of a topic if it is another one than before. `text`: one line of JSON. */
  sendState(topic: Topic, text: string, frame: string): void {
    if (this.#states.get(topic.name) === text) return;
    this.#states.set(topic.name, text);
    this.sink.write(frame);
  }

  end(): void {
    this.sink.end();
  }
}

/** The text of one event; `data` is one line. */
export function frameOf(event: string, id: string, data: string): string {
  return `id: ${id}\nevent: ${event}\ndata: ${data}\n\n`;
}

/** Keeps the connection busy; readers ignore it. */
export const beatFrame = ':\n\n';
