// The port by which the rest of the server publishes at brokers. The area of events fills it
// (areas/lent.ts).
import type { BrokerKind, BrokerPublication, BrokerTarget } from './broker-kind.js';

/** A connection to a broker, as a name of an event or a task means it. */
export interface FoundBroker {
  readonly kind: BrokerKind;
  readonly target: BrokerTarget;
  /** Names the connection and its settings as they are now. */
  readonly version: string;
}

/** Publishes at a broker that is known already. */
export interface BrokerSender {
  /** `timeoutMs`: for connecting and publishing, up to a limit. Rejects with BrokerError. */
  send(found: FoundBroker, message: BrokerPublication, timeoutMs?: number): Promise<void>;
}

/**
 * Whether who started an execution may publish on a queue, which is spelled as events are. Throws
 * AppError 'forbidden' (docs/access.md).
 */
export type RequirePublishRight = (startedBy: string | undefined, queue: string) => void;
