// Where the project lies, for tests and for the compiled tools in dist/tools alike.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder that holds package-lock.json: dist/tools has a package.json of its own. */
export const projectRoot: string = rootAbove(path.dirname(fileURLToPath(import.meta.url)));

/**
 * Read-only inputs that lie beside the project on some machines; tests that need them skip where
 * they are missing.
 */
export const sharedFolder: string = path.join(projectRoot, '..', 'shared');

/** Options of Node that `npm start` gives to the server. */
export const nodeOptions: readonly string[] = optionsOf(startCommand());

function startCommand(): string {
  const text = fs.readFileSync(path.join(projectRoot, 'package.json'), 'utf8');
  return (JSON.parse(text) as { scripts: { start: string } }).scripts.start;
}

function optionsOf(command: string): string[] {
  return command.split(' ').filter((word) => word.startsWith('--'));
}

function rootAbove(folder: string): string {
  return fs.existsSync(path.join(folder, 'package-lock.json'))
    ? folder
    : rootAbove(path.dirname(folder));
}
