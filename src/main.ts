// The server's process.
import { runServer } from './server/run-server.js';

await runServer();
