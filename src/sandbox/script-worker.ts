// Program of a worker process of the sandbox: takes one job at a time and answers it. The server
// kills the process when an answer stays out (worker-pool.ts), so nothing here waits or keeps
// anything between jobs.
import fs from 'node:fs';
import os from 'node:os';
import { endWithParent } from '../std/end-with-parent.js';
import { type ScriptAnswer, type ScriptJob, workerReady } from './job.js';
import { runJq } from './run-jq.js';
import { JavaScriptRunner } from './run-javascript.js';

// Signals to the whole group (Ctrl-C in a terminal) are for the server, which ends its workers
// itself once their answers are in.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);
process.on('disconnect', () => process.exit());
yieldToServer();
endWithParent();

void JavaScriptRunner.load().then((javascript) => {
  process.on('message', (job: ScriptJob) => send(answer(job, javascript)));
  send(workerReady);
});

function answer(job: ScriptJob, javascript: JavaScriptRunner): ScriptAnswer {
  switch (job.language) {
    case 'javascript':
      return javascript.run(job);
    case 'jq':
      return runJq(job);
  }
}

/** Where nobody listens any more, `disconnect` ends the process. */
function send(message: ScriptAnswer | typeof workerReady): void {
  process.send?.(message, () => undefined);
}

/** The server goes first where both want the processor, and last where memory has run out. */
function yieldToServer(): void {
  const nicenessBehind = 10;
  const nicenessMax = 19;
  os.setPriority(0, Math.min(nicenessMax, os.getPriority(0) + nicenessBehind));
  try {
    fs.writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // Other systems have no such file, and then no such choice.
  }
}
