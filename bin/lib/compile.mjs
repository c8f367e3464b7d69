// The compiler of what this repository builds and checks (docs/decisions/0017): TypeScript in
// machine code. What needs the compiler as a library (lint, knip) has the older package.
import path from 'node:path';
import { projectRoot, run } from './run.mjs';

export const compiler = path.join(projectRoot, 'node_modules', 'typescript-native', 'bin', 'tsc');

/** Compiles what a tsconfig.json, or its folder, names; throws where it finds an error. */
export function compile(project, ...options) {
  run(process.execPath, [compiler, '-p', project, ...options], { stdio: ['ignore', 2, 2] });
}
