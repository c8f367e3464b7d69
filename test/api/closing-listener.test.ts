// A connection that the system has made while the event loop was busy is answered although the
// server closes in that very turn: the system would reset it together with the listener.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { createHttpServer } from '../../src/api/server.js';
import { httpLibraries } from '../support/http-libraries.js';

/** Connects when it is told to, says so in shared memory, and posts what it is answered. */
const client = `
  const { parentPort, workerData } = require('node:worker_threads');
  const net = require('node:net');
  const { port, shared } = workerData;
  const state = new Int32Array(shared);
  parentPort.postMessage('ready');
  Atomics.wait(state, 0, 0);
  const socket = net.connect(port, '127.0.0.1');
  let text = '';
  socket.on('connect', () => {
    Atomics.store(state, 0, 2);
    Atomics.notify(state, 0);
    socket.write('GET /a HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n');
  });
  socket.on('data', (bytes) => (text += bytes));
  socket.on('error', (error) => (text += error.code));
  socket.on('close', () => parentPort.postMessage(text));
`;

it.each(httpLibraries)('on %s', async (library) => {
  const server = await createHttpServer(
    library,
    {
      ...{ host: '127.0.0.1', port: 0, bodyBytesMax: 1024, headerBytesMax: 16 * 1024 },
      ...{ connectionsMax: 20, streamBytesUnsentMax: 1024 },
    },
    () => ({ status: 200, body: 'answered' }),
    () => undefined,
  );
  const port = await server.listen();
  const shared = new SharedArrayBuffer(4);
  const state = new Int32Array(shared);
  const worker = new Worker(client, { eval: true, workerData: { port, shared } });
  await once(worker, 'message');
  const answered = once(worker, 'message');
  Atomics.store(state, 0, 1);
  Atomics.notify(state, 0);
  // The event loop stands still until the system has made the connection.
  expect(Atomics.wait(state, 0, 1, 10_000)).not.toBe('timed-out');
  const closed = server.close(5000);
  expect((await answered)[0]).toContain('answered');
  await closed;
  await worker.terminate();
});
