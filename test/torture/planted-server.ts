// Settings of a server with a fault planted into it (planted-main.ts, which the tools' build
// compiles).
import path from 'node:path';
import { projectRoot } from '../../testkit/project.js';
import type { ServerSettings } from '../../testkit/server.js';
import type { Fault } from './planted-node.js';

const plantedMain = path.join(projectRoot, 'dist', 'tools', 'test', 'torture', 'planted-main.js');

/** The server as it is without one. */
export function serverWith(fault: Fault | undefined): ServerSettings {
  return fault === undefined ? {} : { program: [plantedMain, fault] };
}
