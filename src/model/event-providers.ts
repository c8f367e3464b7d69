// The kinds of queues that events name (contract-admin 17.1), and which of them are refused.
import { AppError } from './errors.js';

/** Kinds of queues that can be described to this server. */
export const providers: readonly string[] = [
  'conductor',
  'amqp',
  'amqp_queue',
  'amqp_exchange',
  'jsm',
  'kafka',
  'nats',
  'redis_stream',
  'sqs',
];

/** Kinds that clients know and this server has not. */
const unbuilt: ReadonlySet<string> = new Set(['azure', 'gcp_pubsub', 'ibm_mq']);

/** Throws AppError 'bad-request' for a kind of queue that there is not. */
export function checkProvider(kind: string, field: string): void {
  refuseUnbuilt(kind, field);
  if (providers.includes(kind)) return;
  const message = `${field} must be one of ${providers.join(', ')}`;
  throw new AppError('bad-request', message);
}

/** Throws AppError 'bad-request' for a kind that clients know and this server has not. */
export function refuseUnbuilt(kind: string, field: string): void {
  if (!unbuilt.has(kind)) return;
  throw new AppError('bad-request', `${field}: this server has no connection to ${kind}`);
}
