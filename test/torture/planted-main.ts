// The server with a fault of planted-node.ts between it and its stores: `node planted-main.js FAULT
// [arguments of the server]`.
import { runServer } from '../../src/server/run-server.js';
import { isFault, plant } from './planted-node.js';

const [fault] = process.argv.splice(2, 1);
if (!isFault(fault)) throw new Error(`There is no fault ${fault}`);
await runServer({ wrapStores: (stores) => plant(fault, stores) });
