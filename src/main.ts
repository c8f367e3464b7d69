// The server's process.
import { runServer } from './server/run-server.js';

export const started = runServer();
