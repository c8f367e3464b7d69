// Body of a worker thread of the sandbox: takes one job at a time and answers it. The parent ends the thread when an answer
// stays out (worker-pool.ts), so nothing here waits or keeps anything between jobs.
import { parentPort } from 'node:worker_threads';
import { type ScriptAnswer, type ScriptJob, workerReady } from './job.js';
import { runJq } from './run-jq.js';
import { JavaScriptRunner } from './run-javascript.js';

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
