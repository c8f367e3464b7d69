// Which node hears that a task is ready, and what happens when a notice or a link is lost.
import { beforeEach, describe, expect, it } from 'vitest';
import type { QueueName } from '../../src/engine/decision.js';
import type { HandedOver } from '../../src/queue/peer-hand-over.js';
import { lingerMs, PeerNotices } from '../../src/placement/peer-notices.js';
import type { TaskId } from '../../src/std/ids.js';
import { until } from '../../testkit/until.js';
import { VirtualClock } from '../support/virtual-clock.js';
import { MemoryNetwork, type MemoryPeers } from './memory-network.js';

const a: QueueName = { taskType: 'a' };
const b: QueueName = { taskType: 'b' };

let network: MemoryNetwork;
let clock: VirtualClock;

beforeEach(() => {
  network = new MemoryNetwork();
  clock = new VirtualClock();
});

function heldTask(text: string): HandedOver['tasks'][number] {
  return { attempt: { taskId: 't' as TaskId, reopenCount: 0 }, leaseNumber: 1, text };
}

class TestNode {
  /** Task types whose polls were woken, in order. */
  readonly woken: string[] = [];
  /** Task types that polls of other nodes wait for, each time that it was told. */
  readonly elsewhere: string[] = [];
  /** What was asked for at nodes that hold tasks. */
  readonly offers: { holder: string; given: Promise<HandedOver> }[] = [];
  waiting: QueueName[] = [];
  left: QueueName[] = [];
  readonly peers: MemoryPeers;
  readonly notices: PeerNotices;

  constructor(readonly nodeId: string) {
    this.peers = network.node(nodeId);
    this.notices = new PeerNotices(
      { nodeId, bootId: `boot of ${nodeId}` },
      this.peers,
      {
        wake: (queue) => {
          const waits = this.waiting.some(({ taskType }) => taskType === queue.taskType);
          if (waits) this.woken.push(queue.taskType);
          return waits;
        },
        polledElsewhere: ({ taskType }) => void this.elsewhere.push(taskType),
        hasLeft: (queue) => this.left.some(({ taskType }) => taskType === queue.taskType),
        peerHandOver: {
          offered: (queue, holder, ask) => {
            const waits = this.waiting.some(({ taskType }) => taskType === queue.taskType);
            if (waits) this.offers.push({ holder, given: ask({ count: 2, workerId: 'w' }) });
            return waits;
          },
          handOver: ({ queue, wish: { count, workerId = '' } }) =>
            Promise.resolve({
              tasks: [heldTask(`${queue.taskType} ${count} ${workerId}`)],
              hasLeft: false,
            }),
          givenUp: () => Promise.resolve(),
        },
        waitingQueues: { [Symbol.iterator]: () => this.waiting[Symbol.iterator]() },
      },
      clock,
      (error) => {
        throw error;
      },
    );
  }

  /** Polls wait here for these queues from now on. */
  park(...queues: QueueName[]): void {
    this.waiting = queues;
    for (const queue of queues) this.notices.wanted(queue, true);
  }

  unpark(queue: QueueName): void {
    this.waiting = this.waiting.filter((each) => each !== queue);
    this.notices.wanted(queue, false);
  }

  takeWoken(): string[] {
    return this.woken.splice(0);
  }
}

/** Nodes that are all linked with each other. */
function start(count: number): TestNode[] {
  const nodes = Array.from({ length: count }, (_, i) => new TestNode(`node-${i + 1}`));
  for (const node of nodes) {
    for (const other of nodes) if (other !== node) node.peers.up(other.nodeId);
  }
  return nodes;
}

describe('a task that is ready', () => {
  it('wakes polls of the nodes that have some, in turn', () => {
    const [first, second, third, fourth] = start(4) as [TestNode, TestNode, TestNode, TestNode];
    second.park(a);
    third.park(a, b);
    for (let i = 0; i < 6; i++) first.notices.ready(a, false);
    expect(second.takeWoken()).toEqual(['a', 'a', 'a']);
    expect(third.takeWoken()).toEqual(['a', 'a', 'a']);
    expect(fourth.takeWoken()).toEqual([]);
  });

  it('is told to another node when the polls of the first have gone meanwhile', () => {
    const [first, second, third] = start(3) as [TestNode, TestNode, TestNode];
    second.park(a);
    third.park(a);
    second.unpark(a);
    for (let i = 0; i < 4; i++) first.notices.ready(a, false);
    expect(third.takeWoken()).toEqual(['a', 'a', 'a', 'a']);
  });

  it('is told to nobody twice, and ends, when no poll waits any more', () => {
    const nodes = start(3);
    for (const node of nodes) node.park(a);
    for (const node of nodes) node.unpark(a);
    (nodes[0] as TestNode).notices.ready(a, false);
    expect(nodes.flatMap((node) => node.takeWoken())).toEqual([]);
  });

  it('goes to a node that can be reached, and to nobody when none can', () => {
    const [first, second, third] = start(3) as [TestNode, TestNode, TestNode];
    first.peers.down('node-2');
    first.peers.down('node-3');
    // Their links to the first one stand: it hears what they want and cannot tell them.
    second.park(a);
    third.park(a);
    first.notices.ready(a, false);
    expect([second.takeWoken(), third.takeWoken()]).toEqual([[], []]);
    first.peers.up('node-3');
    third.takeWoken();
    first.notices.ready(a, false);
    expect([second.takeWoken(), third.takeWoken()]).toEqual([[], ['a']]);
  });

  it('and is held by its node is asked for there, also by a node that was told later', async () => {
    const [first, second, third] = start(3) as [TestNode, TestNode, TestNode];
    second.park(a);
    third.park(a);
    second.waiting = [];
    first.notices.ready(a, true);
    expect([second.offers.length, third.offers.length]).toEqual([0, 1]);
    const [{ holder, given }] = third.offers as [(typeof third.offers)[number]];
    expect(holder).toBe('node-1');
    expect(await given).toEqual({ tasks: [heldTask('a 2 w')], hasLeft: false });
  });

  it('and was left over is told to a node that announces its queue', () => {
    const [first, second] = start(2) as [TestNode, TestNode];
    first.left = [a];
    second.park(b);
    expect(second.offers).toEqual([]);
    second.park(a);
    expect(second.offers).toMatchObject([{ holder: 'node-1' }]);
  });
});

describe('polls that wait at another node', () => {
  it('are told when they come, each second while they wait, and when they have gone', async () => {
    const [first, second] = start(2) as [TestNode, TestNode];
    await first.notices.start();
    await second.notices.start();
    const afterASecond = async (): Promise<string[]> => {
      clock.advance(1_000);
      await new Promise((resolve) => setImmediate(resolve));
      return first.elsewhere.splice(0);
    };
    second.park(a);
    expect(first.elsewhere.splice(0)).toEqual(['a']);
    expect(await afterASecond()).toEqual(['a']);
    second.unpark(a);
    for (let passedMs = 0; passedMs < lingerMs; passedMs += 1_000) {
      expect(await afterASecond()).toContain('a');
    }
    await afterASecond();
    expect(await afterASecond()).toEqual([]);
    expect(second.elsewhere).toEqual([]);
    await first.notices.stop();
    await second.notices.stop();
  });
});

describe('a notice that was lost', () => {
  it('is noticed with the next one: every queue with polls is looked at', () => {
    const [first, second] = start(2) as [TestNode, TestNode];
    second.park(a, b);
    first.peers.loses = true;
    first.notices.ready(a, false);
    first.peers.loses = false;
    first.notices.ready(b, false);
    expect(second.takeWoken().sort()).toEqual(['a', 'b', 'b']);
    first.notices.ready(b, false);
    expect(second.takeWoken()).toEqual(['b']);
  });

  it('costs at most a second, however many task types are polled', async () => {
    const [first, second] = start(2) as [TestNode, TestNode];
    const queues = Array.from({ length: 1_000 }, (_, i) => ({ taskType: `type-${i}` }));
    second.park(...queues);
    await first.notices.start();
    first.peers.loses = true;
    first.notices.ready({ taskType: 'type-777' }, false);
    first.peers.loses = false;
    expect(second.takeWoken()).toEqual([]);
    clock.advance(1_000);
    await until('the sweep', () => second.woken.includes('type-777'));
    second.takeWoken();
    // What is known does not wake them again.
    clock.advance(1_000);
    await new Promise((resolve) => setImmediate(resolve));
    expect(second.takeWoken()).toEqual([]);
    await first.notices.stop();
  });

  it('with its link is made good when the link is back', () => {
    const [first, second] = start(2) as [TestNode, TestNode];
    second.park(a, b);
    first.peers.loses = true;
    first.notices.ready(a, false);
    first.peers.down('node-2');
    first.peers.loses = false;
    first.peers.up('node-2');
    expect(second.takeWoken()).toEqual(['a', 'b']);
    // It knows again what the other one wants, although that one's link never broke.
    first.notices.ready(a, false);
    expect(second.takeWoken()).toEqual(['a']);
  });
});

describe('an announcement', () => {
  it('is taken back some time after the last poll has gone', async () => {
    const [first, second] = start(2) as [TestNode, TestNode];
    await second.notices.start();
    second.park(a);
    second.unpark(a);
    for (let passedMs = 0; passedMs < 2 * lingerMs; passedMs += 500) {
      clock.advance(500);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await second.notices.stop();
    // Polls that come without an announcement show that nothing is told to them.
    second.waiting = [a];
    first.notices.ready(a, false);
    expect(second.takeWoken()).toEqual([]);
  });
});
