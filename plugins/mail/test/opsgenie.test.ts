// OPSGENIE against a service on loopback. SENDGRID, whose address comes from an integration, is
// tested with a server (test/server/models).
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/std/clock.js';
import type { PluginServices, PluginTask } from '@downbeat/plugin';
import { opsgenieTaskAt } from '../src/opsgenie.js';
import {
  defaultOutboundSettings,
  OutboundClient,
} from '../../../src/system-task/outbound-client.js';
import { taskRun } from '../../../test/system-task/task-run.js';

let base: string;
const seen: { path: string; headers: http.IncomingHttpHeaders; body: unknown }[] = [];
let status = 202;
const server = http.createServer((request, response) => {
  let text = '';
  request.on('data', (chunk: Buffer) => (text += chunk.toString()));
  request.on('end', () => {
    const { url = '', headers } = request;
    seen.push({ path: url, headers, body: JSON.parse(text) });
    response.writeHead(status, { 'X-Request': 'r1' }).end('{"result":"queued"}');
  });
});
const client = new OutboundClient({ ...defaultOutboundSettings, allowInside: true }, systemClock);
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await client.stop();
  await new Promise((resolve) => server.close(resolve));
});

function taskAt(address: string, by: OutboundClient): PluginTask {
  const lent: Pick<PluginServices, 'client'> = { client: by };
  return opsgenieTaskAt(address).create(lent as PluginServices);
}

describe('OPSGENIE', () => {
  const input = {
    token: 'genie-canary',
    message: 'm',
    priority: 'P1',
    tags: ['a'],
    details: { n: 1 },
  };

  it('raises an alert and keeps the token to itself', async () => {
    const hidden: string[] = [];
    const run = taskRun(input, { hide: (secret) => void hidden.push(secret) });
    const outcome = await taskAt(base, client).run(run);
    expect(outcome).toMatchObject({
      status: 'COMPLETED',
      output: { response: { statusCode: 202, headers: { 'X-Request': ['r1'] } } },
    });
    expect(seen.at(-1)).toMatchObject({
      path: '/v2/alerts',
      headers: { authorization: 'GenieKey genie-canary' },
      body: { message: 'm', priority: 'P1', tags: ['a'], details: { n: '1' } },
    });
    expect(hidden).toEqual(['genie-canary']);
  });

  it('is not sent to an address inside', async () => {
    const guarded = new OutboundClient(defaultOutboundSettings, systemClock);
    const before = seen.length;
    for (const address of [base, base.replace('127.0.0.1', 'localhost')]) {
      const task = taskAt(address, guarded);
      await expect(task.run(taskRun(input))).rejects.toMatchObject({ kind: 'refused' });
    }
    await guarded.stop();
    expect(seen.length).toBe(before);
  });

  it('fails when the service refuses, and for an input that is wrong', async () => {
    status = 422;
    const task = taskAt(base, client);
    expect(await task.run(taskRun(input))).toMatchObject({
      status: 'FAILED',
      reason: 'Opsgenie answered 422 Unprocessable Entity',
    });
    await expect(task.run(taskRun({ ...input, priority: 'P9' }))).rejects.toThrow(
      'inputParameters.priority must be one of P1, P2, P3, P4, P5',
    );
  });
});
