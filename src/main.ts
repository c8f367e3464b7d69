// The server's process.
import { runServer } from './run-server.js';

await runServer();
