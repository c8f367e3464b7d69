// Programmes that this command starts: the server, and those that stand beside it. In a package
// they are compiled; in a clone the scripts of bin/ build them first, when that is due.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { Failure } from './failure.js';

/** The folder with package.json and bin: of the package, or of the clone. */
export const packageRoot = folderWith(path.join('bin', 'downbeat.mjs'), import.meta.dirname);

/** Whether this is a clone, with sources. */
export const isClone = fs.existsSync(path.join(packageRoot, 'src', 'main.ts'));

export const version: string = (
  JSON.parse(fs.readFileSync(path.join(packageRoot, 'package.json'), 'utf8')) as { version: string }
).version;

/** Young objects of a busy node live longer than one collection: fewer copies. */
const serverOptions = ['--max-semi-space-size=64'];

export interface Programme {
  readonly script: readonly string[];
  readonly nodeOptions?: readonly string[];
}

/** The server. */
export function serverProgramme(): Programme {
  const script = isClone ? path.join('bin', 'start.mjs') : path.join('dist', 'main.js');
  return { script: [script], nodeOptions: serverOptions };
}

/** A programme of the package, by its script in a clone and its compiled file. */
export function ownProgramme(inClone: string, compiled: string): Programme {
  return { script: [isClone ? path.join('bin', inClone) : path.join('dist', compiled)] };
}

/** A server for tests of workflows. */
export function testServerProgramme(): Programme {
  return ownProgramme('test-server.mjs', 'test-server.js');
}

/** A programme that only a clone has. */
export function cloneProgramme(name: string, tool: string): Programme {
  if (isClone) return { script: [path.join('bin', 'tool.mjs'), tool] };
  throw new Failure(
    `downbeat ${name} needs a clone of the repository: the package holds the server and this command only.`,
    2,
  );
}

export interface RunningProgramme {
  /** Its exit code. */
  readonly ended: Promise<number>;
  end(): void;
}

let running = 0;

/** Whether a programme runs that is passed the signals of this process. */
export function isProgrammeRunning(): boolean {
  return running > 0;
}

/** Starts a programme with this terminal; signals reach it, and its exit code is the answer. */
export function startProgramme(
  { script, nodeOptions = [] }: Programme,
  args: readonly string[],
): RunningProgramme {
  const [file = '', ...first] = script;
  const child = spawn(
    process.execPath,
    [...nodeOptions, path.join(packageRoot, file), ...first, ...args],
    {
      stdio: 'inherit',
      // So its sentences name the command that was typed (src/std/called-as.ts).
      argv0: 'downbeat',
    },
  );
  running += 1;
  const forward = (signal: NodeJS.Signals): void => void child.kill(signal);
  // At a terminal Ctrl-C reaches the child by itself; a second one would break its stop off.
  const ignore = (): void => undefined;
  process.on('SIGTERM', forward);
  process.on('SIGHUP', forward);
  process.on('SIGINT', process.stdin.isTTY ? ignore : forward);
  const ended = new Promise<number>((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => resolve(code ?? (signal === 'SIGINT' ? 130 : 1)));
  }).finally(() => (running -= 1));
  return { ended, end: () => void child.kill('SIGTERM') };
}

function folderWith(name: string, start: string): string {
  const isThere = fs.existsSync(path.join(start, name));
  return isThere ? start : folderWith(name, path.dirname(start));
}
