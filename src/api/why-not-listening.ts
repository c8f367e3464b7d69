// Why a port could not be listened on: uWebSockets.js says only that it could not, so Node.js is
// asked to listen there for a moment.
import { createServer } from 'node:net';

/** An error with the code of the system: EADDRINUSE, EADDRNOTAVAIL, EACCES and such. */
export function whyNotListening(host: string, port: number): Promise<Error> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', resolve);
    server.listen({ host, port, exclusive: true }, () => {
      // Free by now: something else had it a moment ago.
      const message = `Cannot listen on ${host}:${port}: the port was taken`;
      const taken = Object.assign(new Error(message), { code: 'EADDRINUSE' });
      server.close(() => resolve(taken));
    });
  });
}
