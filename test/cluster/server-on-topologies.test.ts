// The same server on Sentinel and on a Redis Cluster: starts, polls, updates, a timer, an event, a
// schedule, search and the check of the keyspace, before and after a failover. The long form runs
// the tests of the server themselves there (test/support/shared-redis.ts).
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { startTopology, type TopologyKind } from '../../cluster/redis-topologies.js';
import { withServer } from '../support/journeys.js';
import { projectRoot } from '../../testkit/project.js';
import { findValkey, whyNoValkey } from '../support/valkey.js';

const severalServers = [
  ['sentinel', 2],
  ['cluster', 1],
] as const satisfies readonly (readonly [TopologyKind, number])[];

describe('a server', () => {
  it.concurrent.each(severalServers)(
    'works on %s, and goes on after a failover',
    async (kind, replicas) => {
      const topology = await startTopology(kind);
      try {
        const args = ['--wait-replicas', String(replicas)];
        await withServer({ redisUrl: topology.url, args }, async (journeys) => {
          const before = await journeys.travel();
          await journeys.untilScheduled();
          await topology.failover();
          await journeys.travel();
          await journeys.untilCompleted(before);
          await journeys.untilFound('workflowType = journey AND status = COMPLETED', 2);
          await journeys.expectInOrder();
        });
      } finally {
        await topology.stop();
      }
    },
    90_000,
  );
});

const valkey = findValkey();

describe.skipIf(valkey === undefined)(`a server on a Valkey Cluster${whyNoValkey()}`, () => {
  it('works, and goes on after a failover, with every write on disk', async () => {
    const topology = await startTopology('cluster', valkey);
    try {
      const args = ['--wait-replicas', '1', '--wait-aof'];
      await withServer({ redisUrl: topology.url, args }, async (journeys) => {
        const before = await journeys.travel();
        await topology.failover();
        await journeys.travel();
        await journeys.untilCompleted(before);
        await journeys.expectInOrder();
      });
    } finally {
      await topology.stop();
    }
  }, 90_000);
});

/** They look at the server by its API alone, and cover each part of it. */
const representative = [
  'test/semantics/server',
  'test/server/at-once.test.ts',
  'test/server/controls.test.ts',
  'test/server/events/messages.test.ts',
  'test/server/failure-workflow.test.ts',
  'test/server/live-stream.test.ts',
  'test/server/schedules/schedules.test.ts',
  'test/server/search.test.ts',
  'test/server/system-tasks.test.ts',
  'test/server/waiting-types.test.ts',
  'test/server/webhooks',
  'test/timers',
];
const suiteTimeoutMs = 900_000;

describe.skipIf(process.env['LONG_TESTS'] !== '1')('the tests of the server', () => {
  it.each(severalServers)(
    'pass on %s',
    async (kind) => {
      const command = ['bin/test.mjs', 'server', ...representative];
      const { stdout } = await promisify(execFile)(process.execPath, command, {
        cwd: projectRoot,
        env: { ...process.env, CI: 'true', DOWNBEAT_TEST_REDIS: kind },
        timeout: suiteTimeoutMs,
      });
      expect(stdout).toMatch(/\d+ passed, 0 failed/);
    },
    suiteTimeoutMs,
  );
});
