// What clients of a cluster see while its nodes, links and Redis fail, and that nothing that was
// acknowledged is lost. Each test leaves the cluster whole.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { LocalCluster } from '../../cluster/local-cluster.js';
import type { LocalNode } from '../../cluster/local-node.js';
import type { ClusterView } from '../../src/operation/cluster-view.js';
import { ApiClient } from '../../testkit/api-client.js';
import { tell } from '../support/figures.js';
import { stretched, times } from '../../testkit/load.js';
import { until } from '../../testkit/until.js';
import { recordedRun, untilReports } from '../torture/recorded-run.js';
import { startSettledCluster, untilSettled, viewAt } from '../../cluster/settled-cluster.js';

let cluster: LocalCluster;

beforeAll(async () => {
  cluster = await startSettledCluster({ redis: 'single' });
}, 120_000);

afterAll(() => cluster.stop(), 60_000);

beforeEach(async () => {
  await cluster.heal();
  await untilSettled(cluster);
}, 60_000);

/** Lease of a node and the time to take over, ms. */
const takeoverMs = 3_000 + 1_000;
const probes = 120;

/** Executions in many shards that do nothing by themselves. */
async function startProbes(): Promise<string[]> {
  const [first] = cluster.nodes as [LocalNode];
  const client = new ApiClient(first.url);
  try {
    await client.registerWorkflows({
      name: 'probe',
      version: 1,
      tasks: [{ name: 'wait', taskReferenceName: 'wait', type: 'WAIT', inputParameters: {} }],
    });
    const clients = cluster.urls.map((url) => new ApiClient(url));
    const ids = await times(probes, 10, (i) =>
      (clients[i % clients.length] as ApiClient).start({ name: 'probe', version: 1 }),
    );
    await Promise.all(clients.map((each) => each.close()));
    return ids;
  } finally {
    await client.close();
  }
}

/** Longest time from now until each of the executions has taken a command at the node, ms. */
async function untilAllServed(ids: readonly string[], node: LocalNode): Promise<number> {
  const client = new ApiClient(node.url);
  const startAt = performance.now();
  try {
    await times(ids.length, ids.length, (i) =>
      until(
        `execution ${i}`,
        async () => {
          const path = `/api/workflow/${ids[i]}/variables`;
          return (
            (await client.request('POST', path, { at: i }).catch(() => undefined))?.status === 200
          );
        },
        { timeoutMs: 30_000 },
      ),
    );
    return performance.now() - startAt;
  } finally {
    await client.close();
  }
}

/** What the others see of the node. */
async function seenOf(victim: LocalNode): Promise<ClusterView['nodes']> {
  const views = await Promise.all(nodesBut(victim).map(({ url }) => viewAt(url)));
  return views.flatMap((view) => view?.nodes.filter(({ nodeId }) => nodeId === victim.name) ?? []);
}

/** Resolves when no other node has a link to it. */
async function untilMissed(victim: LocalNode): Promise<void> {
  await until(
    `${victim.name} to be missed`,
    async () => {
      const seen = await seenOf(victim);
      return seen.length === nodesBut(victim).length && seen.every(({ linked }) => !linked);
    },
    { timeoutMs: 30_000 },
  );
}

/** Resolves when it has renewed its lease so often. It keeps its shards all the while. */
async function untilRenewed(victim: LocalNode, times: number): Promise<void> {
  let renewals = 0;
  let before = Number.POSITIVE_INFINITY;
  await until(
    `${times} renewals`,
    async () => {
      const [seen] = await seenOf(victim);
      if (seen === undefined) return false;
      expect(seen.shards).toBeGreaterThan(0);
      if (seen.leaseMs > before) renewals += 1;
      before = seen.leaseMs;
      return renewals >= times;
    },
    { timeoutMs: 30_000 },
  );
}

function nodesBut(victim: LocalNode): LocalNode[] {
  return cluster.nodes.filter((node) => node !== victim);
}

/** Faults of real processes take minutes: they run with LONG_TESTS=1 only. */
const isLong = process.env['LONG_TESTS'] === '1';

describe.skipIf(!isLong)('a node that is killed', () => {
  it('has its shards taken at once, where its address refuses connections', async () => {
    const ids = await startProbes();
    const victim = cluster.pick('running');
    await victim.kill();
    const [survivor] = nodesBut(victim) as [LocalNode];
    const ms = await untilAllServed(ids, survivor);
    tell(`after SIGKILL of a node every shard was served again within ${Math.round(ms)} ms`);
    expect(ms).toBeLessThan(stretched(takeoverMs));
  });

  it('loses no acknowledged start or report', { timeout: 120_000 }, async () => {
    const run = await recordedRun(cluster, {}, async (journal) => {
      for (let i = 0; i < 3; i++) {
        const victim = cluster.pick('running');
        await victim.kill();
        await untilReports(journal, 30);
        await victim.start();
        await untilReports(journal, 30);
      }
    });
    expect(run.violations).toEqual([]);
  });
});

describe.skipIf(!isLong)('a node that is asked to stop', () => {
  it('fails no request that is repeated once', { timeout: 120_000 }, async () => {
    const leaveMs: number[] = [];
    const run = await recordedRun(cluster, { repeats: 1 }, async (journal) => {
      for (const node of cluster.nodes) {
        const startAt = performance.now();
        await node.leave();
        leaveMs.push(Math.round(performance.now() - startAt));
        await untilReports(journal, 30);
        await node.start();
        await untilSettled(cluster);
        await untilReports(journal, 30);
      }
    });
    const { failedOnce, failures } = run.client;
    tell(
      `rolling restart of 3 nodes under load: ${run.journal.acknowledgedReports} reports, ` +
        `${failedOnce} requests repeated once, ${failures.length} failed; a node left in ` +
        `${leaveMs.join(', ')} ms`,
    );
    expect(failures).toEqual([]);
    expect(run.violations).toEqual([]);
  });

  it('keeps no call waiting for 200 ms', { timeout: 60_000 }, async () => {
    const ids = await startProbes();
    const victim = cluster.pick('running');
    const [survivor] = nodesBut(victim) as [LocalNode];
    const client = new ApiClient(survivor.url, { connections: 8 });
    const waits: number[] = [];
    let isOver = false;
    const callers = times(4, 4, async (caller) => {
      for (let i = caller; !isOver; i += 4) {
        const startAt = performance.now();
        await client.ask('POST', `/api/workflow/${ids[i % ids.length]}/variables`, { at: i });
        waits.push(performance.now() - startAt);
      }
    });
    await until('some calls', () => waits.length > 100);
    await victim.leave();
    await untilSettled(cluster);
    isOver = true;
    await callers;
    await client.close();
    const longest = Math.max(...waits);
    tell(
      `while a node left, the longest of ${waits.length} calls on all shards took ` +
        `${Math.round(longest)} ms, none failed`,
    );
    expect(longest).toBeLessThan(stretched(200));
  });
});

describe.skipIf(!isLong)('a node that is paused beyond its lease', () => {
  it('is replaced, and its late writes are refused', { timeout: 120_000 }, async () => {
    const victim = cluster.pick('running');
    const survivors = nodesBut(victim);
    const run = await recordedRun(cluster, {}, async (journal) => {
      victim.pause();
      const pausedAt = performance.now();
      await until('its shards elsewhere', async () => {
        const view = await viewAt((survivors[0] as LocalNode).url);
        return view?.moving.length === 0 && view.nodes.length === survivors.length;
      });
      tell(
        `the shards of a paused node were taken in ${Math.round(performance.now() - pausedAt)} ms`,
      );
      // Each third request goes to the paused node and takes its client's five seconds there.
      await untilReports(journal, 15);
      victim.resume();
      await untilReports(journal, 50);
      await untilSettled(cluster);
    });
    expect(run.violations).toEqual([]);
  });

  it('does not answer from what it remembers', { timeout: 60_000 }, async () => {
    const ids = await startProbes();
    const victim = cluster.pick('running');
    const [survivor] = nodesBut(victim) as [LocalNode];
    await untilAllServed(ids, victim);
    victim.pause();
    const late = new ApiClient(victim.url);
    const client = new ApiClient(survivor.url);
    await untilAllServed(ids, survivor);
    for (const id of ids)
      await client.ask('POST', `/api/workflow/${id}/variables`, { by: 'other' });
    victim.resume();
    await untilSettled(cluster);
    for (const id of ids) {
      expect((await late.workflow(id)).variables).toMatchObject({ by: 'other' });
    }
    await Promise.all([late.close(), client.close()]);
  });
});

describe.skipIf(!isLong)('a node whose links are cut', () => {
  it('is replaced, and comes back', { timeout: 120_000 }, async () => {
    const victim = cluster.pick('running');
    const run = await recordedRun(cluster, {}, async (journal) => {
      await cluster.cause('cut', victim.name);
      await until('its shards elsewhere', async () => {
        const view = await viewAt((nodesBut(victim)[0] as LocalNode).url);
        return view?.moving.length === 0 && view.nodes.length === 2;
      });
      await untilReports(journal, 50);
      await cluster.heal();
      await untilSettled(cluster);
      await untilReports(journal, 50);
    });
    expect(run.violations).toEqual([]);
  });

  it('keeps its shards while only its peers cannot reach it', { timeout: 60_000 }, async () => {
    const victim = cluster.pick('running');
    const run = await recordedRun(cluster, {}, async (journal) => {
      victim.peerProxy.cut();
      await untilReports(journal, 20);
      await untilMissed(victim);
      await untilRenewed(victim, 4);
      victim.peerProxy.heal();
      await untilSettled(cluster);
      await untilReports(journal, 50);
    });
    expect(run.violations).toEqual([]);
  });
});

describe.skipIf(!isLong)('Redis', () => {
  it('is killed and started again', { timeout: 120_000 }, async () => {
    const run = await recordedRun(cluster, {}, async (journal) => {
      for (let i = 0; i < 3; i++) {
        await cluster.cause('redis-kill');
        const settledMs = await untilSettled(cluster);
        tell(`after a restart of Redis three nodes serve within ${Math.round(settledMs)} ms`);
        await untilReports(journal, 30);
      }
    });
    expect(run.violations).toEqual([]);
  });

  it('hangs for a while', { timeout: 120_000 }, async () => {
    const run = await recordedRun(cluster, {}, async (journal) => {
      await cluster.cause('redis-pause');
      await untilReports(journal, 30);
      await untilSettled(cluster);
    });
    expect(run.violations).toEqual([]);
  });
});

describe.skipIf(!isLong)('the leader', () => {
  it('is replaced when it is killed, leaves or is paused', { timeout: 120_000 }, async () => {
    for (const fault of ['kill', 'leave', 'pause']) {
      const [any] = cluster.nodes as [LocalNode];
      const before = (await viewAt(any.url))?.leader ?? '';
      const rest = nodesBut(cluster.nodeOf(before));
      await cluster.cause(fault, before);
      const startAt = performance.now();
      const after = await until('another leader', async () => {
        const views = await Promise.all(rest.map(({ url }) => viewAt(url)));
        const leaders = [...new Set(views.map((view) => view?.leader))];
        const [leader] = leaders;
        return leaders.length === 1 && leader !== before ? leader : undefined;
      });
      const ms = performance.now() - startAt;
      tell(`after ${fault} of the leader another one led within ${Math.round(ms)} ms`);
      expect(ms).toBeLessThan(stretched(takeoverMs));
      expect(rest.map(({ name }) => name)).toContain(after);
      await cluster.heal();
      await untilSettled(cluster);
    }
  });
});
