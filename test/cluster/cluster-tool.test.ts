// What `npm run cluster` does with a real cluster: every fault by name over the control socket and
// by key, and what its two kinds of output show.
import fs from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openControl, sendFault, type Control } from '../../cluster/control.js';
import { allFaults, faultOf, faultOfKey } from '../../cluster/faults.js';
import { ClusterLoad } from '../../cluster/load.js';
import type { LocalCluster } from '../../cluster/local-cluster.js';
import { findFaketime, type LocalNode } from '../../cluster/local-node.js';
import { refuseTakenPorts } from '../../cluster/ports.js';
import { lineOf, Observer, screenOf } from '../../cluster/view.js';
import { ApiClient } from '../../testkit/api-client.js';
import { freePort, signalProcess } from '../../testkit/process.js';
import { startSettledCluster, untilSettled, viewAt } from '../../cluster/settled-cluster.js';
import { until } from '../../testkit/until.js';

it('starts no second cluster on ports where one answers, and names the port', async () => {
  const taken = net.createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const at = (taken.address() as AddressInfo).port;
  await expect(refuseTakenPorts(at, 2)).rejects.toThrow(`Port ${at} is taken`);
  await new Promise((resolve) => taken.close(resolve));
  await refuseTakenPorts(at, 1);
});

let cluster: LocalCluster;
let control: Control;
let port: number;

beforeAll(async () => {
  cluster = await startSettledCluster({ redis: 'single', nodes: 2 });
  port = await freePort();
  control = await openControl(cluster, port);
}, 120_000);

afterAll(async () => {
  await control.close();
  await cluster.stop();
}, 60_000);

afterEach(() => cluster.heal(), 60_000);

/** The two nodes: the one that is hit, and the other one. */
function pair(): [LocalNode, LocalNode] {
  return [...cluster.nodes] as [LocalNode, LocalNode];
}

const cause = (fault: string, node?: string): Promise<string> => sendFault(port, fault, node);

/** State letter of a process: T when it is stopped, undefined when there is none. */
function processState(pid: number): string | undefined {
  try {
    return fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.[0];
  } catch {
    return undefined;
  }
}

async function isLinked(from: LocalNode, to: LocalNode): Promise<boolean> {
  const view = await viewAt(from.url);
  return view?.nodes.find(({ nodeId }) => nodeId === to.name)?.linked ?? false;
}

async function msOfWrite(node: LocalNode): Promise<number> {
  const client = new ApiClient(node.url);
  const startAt = performance.now();
  await client.registerTasks({ name: 'written', retryCount: 0, responseTimeoutSeconds: 60 });
  await client.close();
  return performance.now() - startAt;
}

describe('a fault that is named over the control socket', { timeout: 60_000 }, () => {
  it('kill ends a node, and restart brings it back', async () => {
    const [hit] = pair();
    const { pid } = hit;
    expect(await cause('kill', hit.name)).toBe(`killed ${hit.name}`);
    expect([processState(pid), hit.state]).toEqual([undefined, 'killed']);
    await cause('restart');
    expect(hit.state).toBe('running');
    await untilSettled(cluster);
  });

  it('leave ends a node in order', async () => {
    const [hit, other] = pair();
    expect(await cause('leave', hit.name)).toMatch(/left in \d+ ms/);
    await until('its end at the other node', async () => {
      return (await viewAt(other.url))?.nodes.length === 1;
    });
    await expect(cause('pause', hit.name)).rejects.toThrow(`${hit.name} is killed`);
    await cause('restart');
    await untilSettled(cluster);
  });

  it('pause stops a node, and restart lets it go on', async () => {
    const [hit] = pair();
    await cause('pause', hit.name);
    expect(hit.state).toBe('paused');
    await until('the stop', () => processState(hit.pid) === 'T');
    await cause('restart', hit.name);
    await until('its going on', () => processState(hit.pid) !== 'T');
    await untilSettled(cluster);
  });

  it('restart ends a node that runs in order, and starts it', async () => {
    const [hit] = pair();
    const { pid } = hit;
    await cause('restart', hit.name);
    expect(processState(pid)).toBeUndefined();
    expect(hit.pid).not.toBe(pid);
    await untilSettled(cluster);
  });

  it('cut parts a node from the other one and from Redis, until heal', async () => {
    const [hit, other] = pair();
    await cause('cut', hit.name);
    await until('the cut', async () => !(await isLinked(other, hit)));
    expect([hit.peerProxy.state, hit.redisProxy?.state]).toEqual(['cut', 'cut']);
    await cause('heal');
    await untilSettled(cluster);
    expect(await isLinked(other, hit)).toBe(true);
  });

  it('a link that is cut is why an execution stands still', async () => {
    const [hit, other] = pair();
    const client = new ApiClient(hit.url);
    await client.registerWorkflows({
      name: 'waits',
      version: 1,
      tasks: [{ name: 'wait', taskReferenceName: 'wait', type: 'WAIT', inputParameters: {} }],
    });
    const id = await client.start({ name: 'waits', version: 1 });
    await client.close();
    // Only from the other node to this one: it keeps its lease and so its shards.
    hit.peerProxy.cut();
    await until('the cut', async () => !(await isLinked(other, hit)));
    const asker = new ApiClient(other.url);
    const { body } = await asker.ask('GET', `/api/workflow/${id}/why`);
    await asker.close();
    expect(body).toMatchObject({ waitsFor: [{ kind: 'owner' }, { kind: 'signal' }] });
    expect((body as { reason: string }).reason).toMatch(
      /^Node node-1 owns shard \d+, .* and node node-2 has no link to it$/,
    );
    await cause('heal');
    await untilSettled(cluster);
  });

  it('slow delays what a node sends and gets, until heal', async () => {
    const [hit] = pair();
    await cause('slow', hit.name);
    expect(await msOfWrite(hit)).toBeGreaterThan(190);
    await cause('heal');
    expect([hit.peerProxy.state, hit.redisProxy?.state]).toEqual(['open', 'open']);
  });

  it.each(['redis-kill', 'kill-both'])('%s ends Redis and starts it again', async (fault) => {
    const redis = cluster.topology.primary();
    const { pid } = redis;
    await cause(fault);
    expect(processState(pid)).toBeUndefined();
    expect(redis.isRunning).toBe(true);
    await cause('heal');
    await untilSettled(cluster);
  });

  it('redis-pause hangs Redis', async () => {
    const { pid } = cluster.topology.primary();
    const done = cause('redis-pause');
    await until('the stop', () => processState(pid) === 'T');
    await done;
    await until('its going on', () => processState(pid) !== 'T');
  });

  it.skipIf(findFaketime() === undefined)('skew sets a clock wrong, until heal', async () => {
    const [hit, other] = pair();
    await cause('skew', hit.name);
    const aheadMs = async (): Promise<number> => {
      const date = (await fetch(`${hit.url}/health`)).headers.get('date');
      const right = (await fetch(`${other.url}/health`)).headers.get('date');
      return Date.parse(date ?? '') - Date.parse(right ?? '');
    };
    const skewMs = await aheadMs();
    expect(skewMs).toBeGreaterThan(3_500_000);
    await cause('heal');
    expect(Math.abs(await aheadMs())).toBeLessThan(skewMs / 10);
    await untilSettled(cluster);
  });

  it('is refused with a sentence when it cannot be done', async () => {
    await expect(cause('redis-failover')).rejects.toThrow('nobody to fail over to');
    await expect(cause('reshard')).rejects.toThrow('no slots');
    await expect(cause('flood')).rejects.toThrow('No fault is called flood: kill, ');
    await expect(cause('kill', 'node-9')).rejects.toThrow('No node is called node-9');
    await expect(sendFault(await freePort(), 'kill', undefined)).rejects.toThrow('No cluster runs');
  });
});

describe('keys', () => {
  it('name each fault once, and none that ends the cluster', () => {
    const keys = allFaults().map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
    for (const { key, name } of allFaults()) expect(faultOfKey(key)).toBe(faultOf(name));
    expect([faultOfKey('q'), faultOfKey('x')]).toEqual([undefined, undefined]);
  });
});

describe('what is shown', { timeout: 60_000 }, () => {
  it('holds nodes, shards, leases, speed and faults', async () => {
    const load = new ClusterLoad(cluster.urls);
    const observer = new Observer(cluster, load);
    try {
      await load.start(2, 50);
      await until('tasks', () => load.completedTasks > 20);
      const seen = await observer.look();
      expect(seen.tasksPerSecond).toBeGreaterThan(0);
      const screen = screenOf(cluster, load, seen).join('\n');
      expect(screen).toMatch(/node-1 +running +\d+ +\d+ ms .*peers open, redis open/);
      expect(screen).toMatch(/p99 of a report \d+\.\d ms/);
      expect(screen).toContain(`${cluster.faults.length} faults so far`);
      for (const { about } of allFaults()) expect(screen).toContain(about);
      expect(lineOf(cluster, load, seen)).toMatch(/node-1 running \d+ shards lease \d+ ms \|/);
    } finally {
      await load.stop();
    }
  });

  it('tells that a node has ended by itself, and load goes on', async () => {
    const [hit] = pair();
    const load = new ClusterLoad(cluster.urls);
    try {
      await load.start(2, 50);
      signalProcess(hit.pid, 'SIGKILL');
      await until('the end', () => hit.state === 'killed');
      const before = load.completedTasks;
      await until('tasks', () => load.completedTasks > before + 20);
      await cause('heal');
    } finally {
      await load.stop();
    }
    await untilSettled(cluster);
  });

  it('stops its load while a node hangs', async () => {
    const [hit] = pair();
    const load = new ClusterLoad(cluster.urls);
    await load.start(4, 0);
    await cause('pause', hit.name);
    await load.stop();
    await cause('heal');
  });
});
