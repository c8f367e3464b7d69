// Connections to NATS go to the address that was checked (invariants S1).
import { checkedConnections, name } from '../../../test/support/checked-connection.js';
import { natsBroker } from '../src/nats.js';

const natsGreeting = (tls_required: boolean): string =>
  `INFO ${JSON.stringify({ version: '2.10.0', tls_required, max_payload: 1, proto: 1 })}\r\n`;

checkedConnections([
  {
    ...{ title: 'NATS', kind: natsBroker, settings: {} },
    ...{ greeting: natsGreeting(false), sign: 'CONNECT {' },
  },
  {
    ...{ title: 'NATS with TLS', kind: natsBroker, settings: { tls: 'true' } },
    ...{ greeting: natsGreeting(true), sign: name },
  },
]);
