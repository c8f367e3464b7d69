// One of several processes of a server. Its first three arguments are its seat; the rest are those
// of the server.
import { runServer } from '../run-server.js';

const [number, nodeId = '', storeUrl = ''] = process.argv.splice(2, 3);
await runServer({ seat: { number: Number(number), nodeId, storeUrl } });
