// Records of the messages that event handlers were given (contract-core 18.3, contract-admin 17).
import type { ValueOf } from '../../model/schema.js';
import type { eventExecutionSchema, eventMessageSchema } from './endpoints/schemas.js';

/** The outcome of one action of a handler for one message; `payload`: its resolved parameters. */
export type EventExecution = Omit<
  ValueOf<typeof eventExecutionSchema>,
  'fullMessagePayload' | 'eventHandler'
>;

export type EventMessageRecord = Omit<
  ValueOf<typeof eventMessageSchema>,
  'fullPayload' | 'eventExecutions'
> & { readonly eventExecutions: readonly EventExecution[] };
