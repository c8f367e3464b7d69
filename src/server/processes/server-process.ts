// One of several processes of a server. Its first four arguments are its seat; the rest are those
// of the server.
import { runServer } from '../run-server.js';

const [number, nodeId = '', storeUrl = '', listens] = process.argv.splice(2, 4);
export const started = runServer({
  seat: { number: Number(number), nodeId, storeUrl, listensEarly: listens === 'early' },
});
