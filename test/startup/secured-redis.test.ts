// The server on a Redis that asks for TLS, a certificate of the client, and a user with the rights
// of docs/redis.md.
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { ApiClient } from '../../testkit/api-client.js';
import { nodeOptions, projectRoot } from '../../testkit/project.js';
import { rightsLine, startSecuredRedis, whyNoSecuredRedis } from '../support/secured-redis.js';
import { startServer } from '../../testkit/server.js';

const missing = whyNoSecuredRedis();

describe.skipIf(missing !== undefined)(`a server${missing ?? ''}`, () => {
  it('runs a workflow, searches and is checked over TLS with the documented rights', async () => {
    const redis = await startSecuredRedis([]);
    redis.ask(...rightsLine('downbeat', 'secret'));
    const { authority, certificate } = redis;
    const access = [
      `--redis-url=rediss://downbeat:secret@127.0.0.1:${redis.tlsPort}`,
      `--redis-tls-ca-file=${authority.certFile}`,
      `--redis-tls-cert-file=${certificate.certFile}`,
      `--redis-tls-key-file=${certificate.keyFile}`,
    ];
    try {
      const server = await startServer({ args: access });
      const client = new ApiClient(server.url);
      try {
        await client.registerTasks({ name: 'pack' });
        await client.registerWorkflows({
          name: 'order',
          version: 1,
          tasks: [{ name: 'pack', taskReferenceName: 'pack', type: 'SIMPLE' }],
        });
        const workflowId = await client.start({ name: 'order', version: 1 });
        const [task] = await client.poll('pack', { timeoutMs: 5_000 });
        const taskId = task?.taskId ?? '';
        await client.update({ workflowInstanceId: workflowId, taskId, status: 'COMPLETED' });
        expect(await client.untilEnd(workflowId)).toMatchObject({ status: 'COMPLETED' });
        const found = await client.ask('GET', '/api/workflow/search?query=workflowType=order');
        expect(found.body).toMatchObject({ totalHits: 1 });
      } finally {
        await client.close();
        await server.stop();
      }
      expect(redis.ask('ACL', 'LOG').trim()).toBe('');
      expect(fsck(access)).toContain('0 violations');
    } finally {
      await redis.stop();
    }
  });
});

function fsck(args: readonly string[]): string {
  const command = [...nodeOptions, 'dist/fsck-command.js', ...args];
  return execFileSync(process.execPath, command, { cwd: projectRoot, encoding: 'utf8' });
}
