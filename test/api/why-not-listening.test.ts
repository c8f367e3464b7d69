// A port that cannot be listened on is told by the code of the system, on the real network stack.
import net from 'node:net';
import { expect, it } from 'vitest';
import { whyNotListening } from '../../src/api/why-not-listening.js';

it('tells a port that is taken from an address that this machine does not have', async () => {
  const other = net.createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port } = other.address() as net.AddressInfo;
  expect(await whyNotListening('127.0.0.1', port)).toMatchObject({ code: 'EADDRINUSE' });
  await new Promise((resolve) => other.close(resolve));
  // Of the network for documentation, which no machine has (RFC 5737).
  expect(await whyNotListening('192.0.2.1', 0)).toMatchObject({ code: 'EADDRNOTAVAIL' });
  expect(await whyNotListening('127.0.0.1', 0)).toMatchObject({ code: 'EADDRINUSE' });
});
