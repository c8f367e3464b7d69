// Calls of a node on executions that another one owns: sent on when the owner has changed, repeated
// only where that cannot do anything twice, and of unknown outcome only when it is unknown
// (invariants I18, section 7).
import { bySystem } from '../../src/shard/executions.js';
import { beforeEach, describe, expect, it } from 'vitest';
import type { OpenExecution } from '../../src/engine/open-execution.js';
import { answerOwnerCalls } from '../../src/placement/owner-calls.js';
import { RoutedExecutions } from '../../src/placement/routed-executions.js';
import { ShardMap } from '../../src/placement/shard-map.js';
import { RedisQuarantineStore } from '../../src/redis/quarantine-store.js';
import { RedisShardStore } from '../../src/redis/shard-store.js';
import { viewOf, type NamedView } from '../../src/shard/named-views.js';
import { OwnedShards } from '../../src/shard/owned-shards.js';
import { systemClock } from '../../src/std/clock.js';
import { shardOf, type ExecutionId } from '../../src/std/ids.js';
import { chainOf, type ShardNode, shards } from '../shard/shard-node.js';
import { useShardNodes } from '../shard/shard-nodes.js';
import { PeerNetwork, type NetworkNode } from '../support/peer-network.js';

const statusView: NamedView<null, string> = {
  name: 'status',
  view: ({ execution }: OpenExecution) => execution.state.status,
};
const status = viewOf(statusView, null);

const nodes = useShardNodes();
let node: ShardNode;
let network: PeerNetwork;
/** The owner, a node that owned the shards before, and the one that asks. */
let owner: NetworkNode;
let former: NetworkNode;
let asker: RoutedExecutions;
let map: ShardMap;
let id: ExecutionId;
/** Calls that the owner has carried out, by operation. */
let carriedOut: string[];

beforeEach(async () => {
  node = await nodes.start();
  id = await node.startExecution(chainOf('routed', 'a'));
  network = new PeerNetwork();
  owner = network.join('n1');
  former = network.join('n0');
  const peers = network.join('n2');
  const parts = { local: node.shards, shards, views: [statusView], waits: [] };
  answerOwnerCalls(owner, { ...parts, owned: node.owned });
  answerOwnerCalls(former, {
    ...parts,
    owned: new OwnedShards({ holdsLease: true, holdsLeaseOf: () => false }),
  });
  carriedOut = [];
  owner.beforeAnswer = (operation) => void carriedOut.push(operation);
  map = new ShardMap(shards, systemClock);
  asker = new RoutedExecutions({
    ...{ clock: systemClock, nodeId: 'n2', shards, local: node.shards, map, peers },
    owned: new OwnedShards({ holdsLease: true, holdsLeaseOf: () => false }),
    store: node.store,
    quarantine: new RedisQuarantineStore(node.redis, shards),
    shardStore: new RedisShardStore(node.redis),
  });
});

/** What the asking node believes. */
function believe(nodeId: string): void {
  map.set(shardOf(id, shards), nodeId, 1);
}

/** Once, when the owner has carried a call out and has not answered yet. */
function onceCarriedOut(happens: () => void): void {
  owner.beforeAnswer = (operation) => {
    carriedOut.push(operation);
    if (carriedOut.length === 1) happens();
  };
}

describe('a call on an execution of another node', () => {
  it('is carried out there, once', async () => {
    believe('n1');
    await asker.command(id, { kind: 'pause' }, bySystem);
    expect(carriedOut).toEqual(['command']);
    expect(await node.stored(id)).toMatchObject({ '': 'PAUSED' });
  });

  it('is sent on by a node that has lost the shard to the owner of the record, once', async () => {
    believe('n0');
    await asker.command(id, { kind: 'pause' }, bySystem);
    expect(carriedOut).toEqual(['command']);
    expect(map.ownerOf(shardOf(id, shards))?.nodeId).toBe('n1');
  });

  it('waits for a link that is down, and is then carried out, once', async () => {
    believe('n1');
    network.cut('n1', 'n2');
    const paused = asker.command(id, { kind: 'pause' }, bySystem);
    await map.news(shardOf(id, shards), 20);
    expect(carriedOut).toEqual([]);
    network.mend('n1', 'n2');
    await paused;
    expect(carriedOut).toEqual(['command']);
  });

  it('has an unknown outcome when its link is lost before the answer, and is not repeated', async () => {
    believe('n1');
    onceCarriedOut(() => {
      network.cut('n1', 'n2');
      network.mend('n1', 'n2');
    });
    await expect(asker.command(id, { kind: 'pause' }, bySystem)).rejects.toMatchObject({
      kind: 'unknown-outcome',
    });
    expect(carriedOut).toEqual(['command']);
    expect(await asker.read(id, status)).toBe('PAUSED');
  });

  it('has the outcome that the owner refused it with', async () => {
    believe('n1');
    await asker.command(id, { kind: 'pause' }, bySystem);
    await expect(
      asker.command(id, { kind: 'skip-task', ref: 'nowhere' }, bySystem),
    ).rejects.toMatchObject({
      kind: expect.not.stringMatching('unknown-outcome') as string,
    });
    expect(carriedOut).toEqual(['command']);
  });
});

describe('what may be asked twice', () => {
  it('is asked again when the link is lost before the answer: a view', async () => {
    believe('n1');
    onceCarriedOut(() => {
      network.cut('n1', 'n2');
      network.mend('n1', 'n2');
    });
    expect(await asker.read(id, status)).toBe('RUNNING');
    expect(carriedOut).toEqual(['view', 'view']);
  });

  it('and a release from quarantine', async () => {
    believe('n1');
    onceCarriedOut(() => {
      network.cut('n1', 'n2');
      network.mend('n1', 'n2');
    });
    expect(await asker.release(id)).toBe(false);
    expect(carriedOut).toEqual(['release', 'release']);
  });
});

describe('an execution in the store', () => {
  it('is read, unless a node has died on it', async () => {
    believe('nobody');
    const unnamed = ({ execution }: OpenExecution): string => execution.state.status;
    expect(await asker.read(id, unnamed)).toBe('RUNNING');
    await node.quarantine.set([{ id, deaths: 1, loader: '' }]);
    await expect(asker.read(id, unnamed)).rejects.toThrow('Nodes died while they loaded');
    await node.quarantine.set([{ id, deaths: 3, loader: '' }]);
    await expect(asker.read(id, unnamed)).rejects.toThrow('in quarantine');
  });
});
