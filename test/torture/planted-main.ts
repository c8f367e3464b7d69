// The server with a fault of planted-node.ts between it and its stores: `node planted-main.js FAULT
// [arguments of the server]`.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as RunServer from '../../src/server/run-server.js';
import { projectRoot } from '../support/project.js';
import { isFault, plant } from './planted-node.js';

const [fault] = process.argv.splice(2, 1);
if (!isFault(fault)) throw new Error(`There is no fault ${fault}`);
const server = pathToFileURL(path.join(projectRoot, 'dist', 'server', 'run-server.js')).href;
const { runServer } = (await import(server)) as typeof RunServer;
await runServer({ wrapStores: (stores) => plant(fault, stores) });
