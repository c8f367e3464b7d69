// A message that a handler could not deal with: an action or its condition failed, or the same
// trouble came back too often. It is kept for people, who may have it dealt with again.

export interface DeadLetter {
  /** Names it among those of its handler. */
  readonly id: string;
  /** Name of the handler. */
  readonly handler: string;
  readonly event: string;
  readonly messageId: string;
  /** The whole message. */
  readonly payload: string;
  /** When the message was published, epoch ms. */
  readonly publishedAt: number;
  /** When it was given up, epoch ms. */
  readonly failedAt: number;
  readonly reason: string;
}

export type EventSourceStatus = 'CONNECTING' | 'CONNECTED' | 'UNREACHABLE';

/** How the connection to a broker stands from which messages are taken. */
export interface EventSourceState {
  /** Names the connection: its handler, or its event where the handlers share it. */
  readonly id: string;
  readonly event: string;
  /** Names of the handlers that get its messages. */
  readonly handlers: readonly string[];
  /** Node that takes the messages. */
  readonly node: string;
  readonly status: EventSourceStatus;
  /** Epoch ms. */
  readonly since: number;
  /** Why it is not reached. */
  readonly reason?: string;
}
