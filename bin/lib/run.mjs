// Runs other programmes for the scripts of bin/: plain JavaScript, because they work before
// anything is installed or built.
import { spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const projectRoot = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Runs a programme in the project's folder with this terminal; throws when it does not end with 0.
 */
export function run(command, args, options = {}) {
  const result = spawnSync(command, args, { cwd: projectRoot, stdio: 'inherit', ...options });
  if (result.error) throw new Error(`${command} could not be run`, { cause: result.error });
  if (result.status !== 0) {
    throw new Error(`${command} ${args.join(' ')} ended with ${result.status ?? result.signal}`);
  }
}

/** Whether a programme is found and answers; nothing is shown. */
export function answers(command, args) {
  const result = spawnSync(command, args, { stdio: 'ignore' });
  return result.error === undefined && result.status === 0;
}

/**
 * Runs a programme, passes signals on to it, and resolves with its exit code (128 when a signal
 * ended it).
 */
export function runToEnd(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: projectRoot, stdio: 'inherit', ...options });
    const forward = (signal) => child.kill(signal);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, forward);
    child.on('error', reject);
    child.on('exit', (code) => {
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.off(signal, forward);
      resolve(code ?? 128);
    });
  });
}
