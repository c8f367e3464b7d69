// Ends a child process whose parent has died, whatever the child is doing.
import { Worker } from 'node:worker_threads';

const everyMs = 1000;

/**
 * While a program computes, no event arrives, not even `disconnect`. So a thread of its own checks
 * once a second whether the parent still lives: when a parent process ends, its children get
 * another parent. Costs the start of a thread, about 15 ms of processor time.
 */
export function endWithParent(): void {
  const watch = `
    setInterval(() => {
      if (process.ppid !== ${process.ppid}) process.kill(process.pid, 'SIGKILL');
    }, ${everyMs});
  `;
  new Worker(watch, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 16 } }).unref();
}
