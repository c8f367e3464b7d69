// Notices of changes by topic between nodes: who is told what, and what is said to be missed.
import { beforeEach, describe, expect, it } from 'vitest';
import {
  topicLingerMs,
  TopicNotices,
  type TopicChange,
  type TopicListener,
} from '../../src/placement/topic-notices.js';
import { PeerNetwork, type NetworkNode } from '../support/peer-network.js';
import { VirtualClock } from '../support/virtual-clock.js';

const flushMs = 100;
let clock: VirtualClock;
let network: PeerNetwork;
let one: Node;
let two: Node;

interface Node {
  readonly peer: NetworkNode;
  readonly notices: TopicNotices;
  readonly want: (topics: readonly string[]) => Promise<void>;
  readonly heard: TopicChange[];
  readonly missed: (readonly string[] | undefined)[];
}

function join(nodeId: string): Node {
  const peer = network.join(nodeId);
  const notices = new TopicNotices(peer, clock);
  const heard: TopicChange[] = [];
  const missed: (readonly string[] | undefined)[] = [];
  const listener: TopicListener = {
    changed: (changes) => void heard.push(...changes),
    missed: (topics) => void missed.push(topics),
  };
  const want = (topics: readonly string[]): Promise<void> => notices.want(topics, listener);
  return { peer, notices, want, heard, missed };
}

function change(topic: string, key: string, content = 1): TopicChange {
  return { topic, key, content };
}

beforeEach(() => {
  clock = new VirtualClock();
  network = new PeerNetwork();
  one = join('n1');
  two = join('n2');
});

describe('a topic', () => {
  it('is wanted everywhere once its listener is told so, and nowhere before', async () => {
    expect([one.notices.isAnyWanted, two.notices.isAnyWanted]).toEqual([false, false]);
    await one.want(['a']);
    expect([one.notices.isWanted('a'), two.notices.isWanted('a')]).toEqual([true, true]);
    expect(two.notices.isWanted('b')).toBe(false);
  });

  it('reaches the nodes that want it only, with the newest content of a key', async () => {
    const three = join('n3');
    await one.want(['a']);
    await three.want(['b']);
    for (const content of [1, 2]) two.notices.publish(change('a', 'k', content));
    two.notices.publish(change('b', 'k'));
    expect(one.heard).toEqual([]);
    clock.advance(flushMs);
    expect(one.heard).toEqual([change('a', 'k', 2)]);
    expect(three.heard).toEqual([change('b', 'k')]);
    expect([two.heard, one.missed, three.missed]).toEqual([[], [], []]);
  });

  it('merges changes of one key as its publisher says', async () => {
    await one.want(['a']);
    const add = (first: unknown, second: unknown): number => Number(first) + Number(second);
    for (const content of [1, 2, 3]) one.notices.publish(change('a', 'k', content), add);
    clock.advance(flushMs);
    expect(one.heard).toEqual([change('a', 'k', 6)]);
  });

  it('stays announced for a while after its last listener', async () => {
    await one.want(['a']);
    one.notices.unwant('a');
    clock.advance(topicLingerMs - 1);
    expect(two.notices.isWanted('a')).toBe(true);
    await one.want(['a']);
    clock.advance(topicLingerMs);
    expect(two.notices.isWanted('a')).toBe(true);
    one.notices.unwant('a');
    clock.advance(topicLingerMs);
    expect([one.notices.isAnyWanted, two.notices.isAnyWanted]).toEqual([false, false]);
  });

  it('is known to a node that comes later, and its listeners read their state again', async () => {
    await one.want(['a']);
    const three = join('n3');
    network.cut('n1', 'n3');
    network.mend('n1', 'n3');
    expect(three.notices.isWanted('a')).toBe(true);
    expect(one.missed.at(-1)).toBe(undefined);
    three.notices.publish(change('a', 'k'));
    clock.advance(flushMs);
    expect(one.heard).toEqual([change('a', 'k')]);
  });
});

describe('changes that were lost', () => {
  it('are told as missed: more keys at a time than a batch takes', async () => {
    await one.want(['a', 'b']);
    for (let i = 0; i < 3000; i++) two.notices.publish(change('a', String(i)));
    two.notices.publish(change('b', 'k'));
    clock.advance(flushMs);
    expect(one.missed).toEqual([['a']]);
    expect(one.heard).toEqual([change('b', 'k')]);
  });

  it('are told as missed: a batch that did not arrive, once', async () => {
    await one.want(['a']);
    two.peer.losses = 1;
    for (const key of ['lost', 'second', 'third']) {
      two.notices.publish(change('a', key));
      clock.advance(flushMs);
    }
    expect(one.missed).toEqual([undefined]);
    expect(one.heard.map(({ key }) => key)).toEqual(['second', 'third']);
  });

  it('are told as missed: a link that went down and came up again', async () => {
    await one.want(['a']);
    network.cut('n1', 'n2');
    expect(one.missed).toEqual([undefined]);
    // A link that cannot be made again is not lost anew.
    one.peer.unlink('n2');
    expect(one.missed).toEqual([undefined]);
    expect(two.notices.isWanted('a')).toBe(false);
    network.mend('n1', 'n2');
    expect(one.missed).toEqual([undefined, undefined]);
    expect(two.notices.isWanted('a')).toBe(true);
  });
});
