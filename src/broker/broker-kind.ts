// The contract of a kind of message broker. A new kind is one file with a `BrokerKind` and one line
// in list.ts: how messages of a queue are taken, and how one is put in.
//
// Taking is at least once. A message is acknowledged after `reader.handle` has resolved, which is
// after everything that it caused is committed. When the reader's signal aborts, the connection is
// lost or `handle` rejects, what is not acknowledged stays with the broker, which hands it out
// again. At most `prefetch` messages are taken and not acknowledged.
import type { LookupFunction } from 'node:net';
import type { BrokerSettings } from './broker-settings.js';

/** A queue of a broker, and how the broker is reached. */
export interface BrokerTarget {
  /** First part of the event's name, such as `amqp_exchange`. */
  readonly eventKind: string;
  /** Topic, queue, subject or stream as the event names it. */
  readonly queue: string;
  readonly settings: BrokerSettings;
}

export interface BrokerMessage {
  /** The same when the broker hands the message out again, where the broker tells. */
  readonly id: string;
  /** Epoch ms; undefined where the broker does not tell. */
  readonly publishedAt: number | undefined;
  readonly payload: string;
  /**
   * A text beside the payload, by its name in lower case; '' where the message has none. Absent:
   * the broker carries no such texts.
   */
  readonly header?: (name: string) => string;
}

/** Takes messages from a broker. */
export interface BrokerReader {
  /** Readers of other names get each message too, where the kind fans out. */
  readonly name: string;
  /** Messages taken and not acknowledged, at most. */
  readonly prefetch: number;
  /** Aborts when the reader wants no more. */
  readonly signal: AbortSignal;
  /** To be called once messages can come. */
  connected(): void;
  /** Resolves when the message may be acknowledged. */
  handle(message: BrokerMessage): Promise<void>;
}

export interface BrokerPublication {
  readonly id: string;
  /** Messages of one key stay in order, where the broker keeps one; bytes for Kafka only. */
  readonly key?: string | Buffer;
  readonly payload: string;
  /** Texts beside the payload, where the broker carries such. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** An open connection for publishing. After a rejection it is closed and not used again. */
export interface BrokerSink {
  /** Resolves once the broker has the message for good. */
  publish(target: BrokerTarget, message: BrokerPublication): Promise<void>;
  close(): Promise<void>;
}

/** The checks that connections must pass (invariants S1). */
export interface ConnectionGuard {
  /** Throws when the host is an address that must not be reached. */
  checkLiteral(host: string): void;
  isAllowedHost(host: string, port: string): boolean;
  /** Resolves a name to checked addresses. */
  readonly lookup: LookupFunction;
}

/** The one way out over HTTP. */
export type HttpSend = (request: {
  readonly url: URL;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  /** Longest silence of the peer, ms. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}) => Promise<{ readonly statusCode: number; readonly body: Buffer }>;

/** The ways in which kinds reach brokers. */
export interface BrokerWays {
  readonly guard: ConnectionGuard;
  readonly send: HttpSend;
}

export interface BrokerKind {
  readonly name: string;
  /** First parts of event names that mean this kind (semantics 6.1, contract-admin 17.1). */
  readonly eventKinds: readonly string[];
  /** Types of integration providers that hold its connections (contract-admin 14.3). */
  readonly providerTypes: readonly string[];
  /** Names of the settings that it reads. */
  readonly settingNames: readonly string[];
  /**
   * Whether each reader gets every message. Otherwise readers of a queue share its messages, so
   * all handlers of an event are served by one reader.
   */
  fansOut(eventKind: string): boolean;
  /**
   * Takes messages until the reader's signal aborts. Rejects when the broker cannot be reached, the
   * connection is lost, or a message cannot be handled.
   */
  consume(target: BrokerTarget, reader: BrokerReader, ways: BrokerWays): Promise<void>;
  openSink(target: BrokerTarget, ways: BrokerWays): Promise<BrokerSink>;
}
