// Body of a worker thread of the sandbox: takes one job at a time and answers it. The parent ends
// the thread when an answer stays out (worker-pool.ts), so nothing here waits or keeps anything
// between jobs.
import os from 'node:os';
import { parentPort } from 'node:worker_threads';
import { type ScriptAnswer, type ScriptJob, workerReady } from './job.js';
import { runJq } from './run-jq.js';
import { JavaScriptRunner } from './run-javascript.js';

/**
 * Behind the thread that serves requests wherever both want the processor. On Linux 0 stands for
 * the calling thread; elsewhere it would be the whole process.
 */
const nicenessBehind = 10;
const nicenessMax = 19;
if (process.platform === 'linux') {
  os.setPriority(0, Math.min(nicenessMax, os.getPriority(0) + nicenessBehind));
}

const javascript = await JavaScriptRunner.load();

function answer(job: ScriptJob): ScriptAnswer {
  switch (job.language) {
    case 'javascript':
      return javascript.run(job);
    case 'jq':
      return runJq(job);
  }
}

const port = parentPort;
if (port === null) throw new Error('script-worker runs as a worker thread only');
port.on('message', (job: ScriptJob) => port.postMessage(answer(job)));
port.postMessage(workerReady);
