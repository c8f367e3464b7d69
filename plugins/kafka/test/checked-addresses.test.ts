// Connections to Kafka go to the address that was checked (invariants S1).
import { expect, it } from 'vitest';
import {
  checkedConnections,
  connect,
  guardWith,
  Listener,
  name,
} from '../../../test/support/checked-connection.js';
import { kafkaBroker } from '../src/kafka.js';

const kafka = { kind: kafkaBroker, greeting: '' };

checkedConnections([
  { ...kafka, title: 'Kafka', settings: {}, sign: 'downbeat' },
  { ...kafka, title: 'Kafka with TLS', settings: { protocol: 'SSL' }, sign: name },
]);

it.concurrent.each(['PLAINTEXT', 'SSL'])(
  'a broker of Kafka (%s) whose name turns inside after the check is refused',
  async (protocol) => {
    const listener = new Listener('');
    const port = await listener.start();
    const guard = guardWith(['127.0.0.1', '127.0.0.2']);
    const error = await connect(kafkaBroker, port, { protocol }, guard);
    expect(reasons(error)).toMatch(/rebound\.test is inside/);
    expect(reasons(error)).not.toContain('127.0.0.2');
    expect(listener.sent).toBe('');
    listener.stop();
  },
);

/** The message of an error and of those that it collects. */
function reasons(error: unknown): string {
  const { message, errors = [], cause } = error as AggregateError;
  return [message, ...errors.map(reasons), cause === undefined ? '' : reasons(cause)].join('\n');
}
