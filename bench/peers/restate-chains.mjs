// Chains of five durable steps in Restate: serves the handler that carries them out, calls it over
// the server's ingress, and checks that each step saw the result of the one before. Started by
// restate.ts with its job as JSON; prints "begin" when it is ready, begins at SIGUSR2, and prints
// "end" with what it found.
import http from 'node:http';
import http2 from 'node:http2';
import { createRequire } from 'node:module';
import path from 'node:path';
import { measure } from './measure.mjs';

// Else it writes two lines for each call.
process.env.RESTATE_LOGGING = 'ERROR';
// Newer than Node 20, on which this may run.
Promise.withResolvers ??= () => {
  const parts = {};
  parts.promise = new Promise((resolve, reject) => Object.assign(parts, { resolve, reject }));
  return parts;
};

const job = JSON.parse(process.argv[2]);
const restate = createRequire(path.join(job.folder, 'package.json'))('@restatedev/restate-sdk');

const steps = 5;
const padding = 'v'.repeat(53);
const wrong = [];

function carryOut(step, before) {
  if (before.step !== step - 1) wrong.push(`step ${step} came after ${before.step}`);
  return { step, done: padding };
}

const chain = restate.service({
  name: job.service,
  handlers: {
    run: async (context) => {
      let before = { step: 0 };
      for (let step = 1; step <= steps; step++) {
        const last = before;
        before = await context.run(`step ${step}`, () => carryOut(step, last));
      }
      return before;
    },
  },
});

const agent = new http.Agent({ keepAlive: true, maxSockets: job.window });

function post(port, target, body) {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': body.length };
    const options = { host: '127.0.0.1', port, path: target, method: 'POST', headers, agent };
    const request = http.request(options, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => (text += chunk));
      response.on('end', () => {
        const { statusCode } = response;
        if (statusCode < 300) resolve(text);
        else reject(new Error(`${target} answered ${statusCode}: ${text}`));
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}

async function run(executions) {
  let left = executions;
  const one = async () => {
    while (left-- > 0) {
      const { step, done } = JSON.parse(await post(job.ingress, `/${job.service}/run`, '{}'));
      if (step !== steps || done !== padding) wrong.push(`a chain ended with step ${step}`);
    }
  };
  await Promise.all(Array.from({ length: job.window }, one));
}

// The server speaks HTTP/2 without TLS to what it calls.
http2.createServer(restate.createEndpointHandler({ services: [chain] })).listen(job.port);
await post(job.admin, '/deployments', JSON.stringify({ uri: `http://127.0.0.1:${job.port}` }));
await measure(job, { run, steps, wrong });
