// Tasks that one node holds for the polls of another one: what the holder gives, and what the asker
// does with it.
import { beforeEach, describe, expect, it } from 'vitest';
import type { ExecutionId } from '../../src/std/ids.js';
import { PeerNotices } from '../../src/placement/peer-notices.js';
import type { HandedOver } from '../../src/queue/peer-hand-over.js';
import { chainOf, type ShardNode } from '../shard/shard-node.js';
import { useShardNodes } from '../shard/shard-nodes.js';
import { PeerNetwork, type NetworkNode } from '../support/peer-network.js';

const queue = { taskType: 'a' };
const wish = { count: 5, workerId: 'far' };

const nodes = useShardNodes();
let node: ShardNode;

beforeEach(() => startNode(30));

async function startNode(responseTimeoutSeconds: number): Promise<void> {
  const taskDefs = [{ name: 'a', responseTimeoutSeconds, retryCount: 1, retryDelaySeconds: 0 }];
  node = await nodes.start({ taskDefs });
}

function start(): Promise<ExecutionId> {
  return node.startExecution(chainOf('far', 'a'));
}

let asked = 0;
beforeEach(() => (asked = 0));

/** A request of the process `far`; all before it are over unless `openFrom` says otherwise. */
function ask(call = { isCancelled: false }, openFrom = asked + 1): Promise<HandedOver> {
  const request = { bootId: 'far', number: (asked += 1), openFrom };
  return node.hub.peerHandOver.handOver({ queue, wish, request }, call);
}

const workflowsOf = ({ tasks }: HandedOver): unknown[] =>
  tasks.map(({ text }) => (JSON.parse(text) as { workflowInstanceId: string }).workflowInstanceId);

async function stored(): Promise<{ waiting: number; leased: number } | undefined> {
  return (await node.queues.sizes([queue]))[0];
}

describe('the node that holds ready tasks', () => {
  it('leases them for the worker of another node, in order', async () => {
    const ids = [await start(), await start()];
    const given = await ask();
    expect(workflowsOf(given)).toEqual(ids);
    expect(given.hasLeft).toBe(false);
    expect(JSON.parse(given.tasks[0]?.text ?? '')).toMatchObject({
      status: 'IN_PROGRESS',
      workerId: 'far',
      pollCount: 1,
    });
    expect(await stored()).toEqual({ waiting: 0, leased: 2 });
    expect(await ask()).toEqual({ tasks: [], hasLeft: false });
  });

  it('ends the lease of one that nobody reports', async () => {
    const id = await start();
    await ask();
    const { tasks } = node.poll('a', { timeoutMs: 10_000_000 });
    node.clock.advance(31_000);
    expect(await tasks).toMatchObject([{ workflowInstanceId: id, retryCount: 1 }]);
  });

  it('takes them back at once when the other node no longer waits', async () => {
    const id = await start();
    const call = { isCancelled: false };
    const given = ask(call);
    call.isCancelled = true;
    expect(await given).toEqual({ tasks: [], hasLeft: true });
    const { tasks } = node.poll('a', { timeoutMs: 10_000_000 });
    expect(await tasks).toMatchObject([{ workflowInstanceId: id, workerId: 'w' }]);
  });

  it('leaves tasks whose lease has no end to the scripts of the store', async () => {
    await nodes.stop(node);
    await startNode(0);
    const id = await start();
    expect(await ask()).toEqual({ tasks: [], hasLeft: true });
    expect(await stored()).toEqual({ waiting: 1, leased: 0 });
    expect(await node.poll('a').tasks).toMatchObject([{ workflowInstanceId: id }]);
  });
});

describe('a request that its node has given up', () => {
  const giveUp = (...numbers: number[]): Promise<void> =>
    node.hub.peerHandOver.givenUp('far', numbers);

  it('gives its leases back, once', async () => {
    const id = await start();
    await ask();
    await giveUp(1);
    expect(await stored()).toEqual({ waiting: 1, leased: 0 });
    expect(await node.poll('a').tasks).toMatchObject([{ workflowInstanceId: id }]);
    // The lease of another worker stays, also when the first one could not be told to be done.
    await giveUp(1);
    expect(await stored()).toEqual({ waiting: 0, leased: 1 });
  });

  it('gets nothing when it arrives later, or is told while the tasks are being leased', async () => {
    await start();
    await giveUp(1);
    expect((await ask(undefined, 1)).tasks).toEqual([]);
    const leasing = ask(undefined, 1);
    const { head } = node.hub.queue(queue);
    for (let i = 0; i < 20 && head.size > 0; i++) await Promise.resolve();
    expect(head.size).toBe(0);
    await giveUp(2);
    expect((await leasing).tasks).toEqual([]);
    expect(await node.poll('a').tasks).toHaveLength(1);
  });

  it('gets nothing when it arrives after one that says it is over', async () => {
    await start();
    asked = 1;
    expect((await ask()).tasks).toHaveLength(1);
    await start();
    asked = 0;
    expect((await ask()).tasks).toEqual([]);
    expect(await stored()).toEqual({ waiting: 1, leased: 1 });
  });

  it('is no longer known once its node has had the answer', async () => {
    await start();
    await ask();
    await ask();
    await giveUp(1);
    expect(await stored()).toEqual({ waiting: 0, leased: 1 });
  });
});

describe('a link that breaks between the lease and the answer', () => {
  let far: ShardNode;
  let link: NetworkNode;
  let network: PeerNetwork;

  beforeEach(async () => {
    // It has a store of its own: what its polls get comes over the link.
    far = await nodes.start({ prefix: `${nodes.prefix}-far`, nodeId: 'n2' });
    network = new PeerNetwork();
    link = connect(node, 'n1');
    connect(far, 'n2');
  });

  function connect({ hub, shards, clock, failures }: ShardNode, nodeId: string): NetworkNode {
    const peers = network.join(nodeId);
    const parts = [hub, clock, (error: unknown) => void failures.push(error)] as const;
    const notices = new PeerNotices({ nodeId, bootId: `boot of ${nodeId}` }, peers, ...parts);
    hub.connect({ owner: shards.claims, notices });
    return peers;
  }

  /** The link breaks before the next answer of the node that holds the tasks. */
  function cutBeforeAnswer(): Promise<void> {
    return new Promise((resolve) => {
      link.beforeAnswer = () => {
        link.beforeAnswer = () => undefined;
        network.cut('n1', 'n2');
        resolve();
      };
    });
  }

  it('costs a task no time but that until the link is up again', async () => {
    const cut = cutBeforeAnswer();
    const lost = far.poll('a');
    const id = await start();
    await cut;
    expect(await stored()).toEqual({ waiting: 0, leased: 1 });
    lost.abort();
    network.mend('n1', 'n2');
    // The clock stands: the lease, which has 30 s, has not ended.
    expect(await node.poll('a').tasks).toMatchObject([{ workflowInstanceId: id, retryCount: 0 }]);
    expect(await lost.tasks).toEqual([]);
    expect(await stored()).toEqual({ waiting: 0, leased: 1 });
  });

  it('is told again until the holder has given the leases back', async () => {
    const cut = cutBeforeAnswer();
    const lost = far.poll('a');
    const id = await start();
    await cut;
    lost.abort();
    const cutAgain = cutBeforeAnswer();
    network.mend('n1', 'n2');
    await cutAgain;
    expect(await node.poll('a').tasks).toMatchObject([{ workflowInstanceId: id }]);
    network.mend('n1', 'n2');
    // A task that comes over the link shows that what was told before has been heard.
    const next = far.poll('a');
    const second = await start();
    expect(await next.tasks).toMatchObject([{ workflowInstanceId: second }]);
    expect(await stored()).toEqual({ waiting: 0, leased: 2 });
  });

  it('takes nothing from a worker that has its task', async () => {
    const had = far.poll('a');
    const id = await start();
    expect(await had.tasks).toMatchObject([{ workflowInstanceId: id }]);
    network.cut('n1', 'n2');
    network.mend('n1', 'n2');
    const next = far.poll('a');
    const second = await start();
    expect(await next.tasks).toMatchObject([{ workflowInstanceId: second }]);
    expect(await stored()).toEqual({ waiting: 0, leased: 2 });
  });
});

describe('the node at which polls wait', () => {
  const task = (name: string): HandedOver['tasks'][number] => ({
    attempt: { taskId: name as never, reopenCount: 0 },
    leaseNumber: 1,
    text: JSON.stringify({ taskId: name }),
  });

  it('asks for as many as its poll takes, and answers it', async () => {
    const { tasks } = node.poll('a', { count: 3, workerId: 'w1' });
    const asked: unknown[] = [];
    const isTaken = node.hub.peerHandOver.offered(queue, 'node-2', (wanted) => {
      asked.push(wanted);
      return Promise.resolve({ tasks: [task('one'), task('two')], hasLeft: false });
    });
    expect(isTaken).toBe(true);
    expect(await tasks).toEqual([{ taskId: 'one' }, { taskId: 'two' }]);
    expect(asked).toEqual([{ count: 3, workerId: 'w1' }]);
  });

  it('asks the next poll for what is left', async () => {
    const first = node.poll('a');
    const second = node.poll('a');
    const left = [task('one'), task('two')];
    node.hub.peerHandOver.offered(queue, 'node-2', () =>
      Promise.resolve({ tasks: left.splice(0, 1), hasLeft: left.length > 0 }),
    );
    expect(await first.tasks).toEqual([{ taskId: 'one' }]);
    expect(await second.tasks).toEqual([{ taskId: 'two' }]);
  });

  it('remembers an offer until a poll comes', async () => {
    const holder = (): Promise<HandedOver> =>
      Promise.resolve({ tasks: [task('one')], hasLeft: false });
    expect(node.hub.peerHandOver.offered(queue, 'node-2', holder)).toBe(false);
    expect(await node.poll('a').tasks).toEqual([{ taskId: 'one' }]);
  });

  it('looks into the store when the holder cannot be asked', async () => {
    const id = await start();
    const known = node.hub.queue(queue);
    known.head.clear();
    known.signals.nothingElse(known.signals.ask());
    known.signals.over();
    const { tasks } = node.poll('a');
    node.hub.peerHandOver.offered(queue, 'node-2', () => Promise.reject(new Error('gone')));
    expect(await tasks).toMatchObject([{ workflowInstanceId: id }]);
  });
});
