// The kinds of message brokers that a server connects to: those of its own and those of its
// plug-ins.
import type { BrokerKind } from './broker-kind.js';

export class BrokerKinds {
  constructor(
    readonly all: readonly BrokerKind[],
    /** Why a kind that is known is not here; undefined: it is not known. */
    readonly absence: (eventKind: string) => string | undefined = () => undefined,
  ) {}

  /** The kind that the first part of an event's name means. */
  find(eventKind: string): BrokerKind | undefined {
    return this.all.find((kind) => kind.eventKinds.includes(eventKind));
  }
}
