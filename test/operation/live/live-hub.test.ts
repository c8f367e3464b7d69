// Streams of one node: what a reader is sent, what it may not see, and what it gets when it comes
// back.
import { beforeEach, describe, expect, it } from 'vitest';
import type { AccessRules } from '../../../src/access/access-rules.js';
import type { Caller } from '../../../src/model/caller.js';
import { localAdministrator } from '../../../src/model/caller.js';
import { AppError } from '../../../src/model/errors.js';
import { LiveHub } from '../../../src/areas/live/live-hub.js';
import type { StreamSink } from '../../../src/areas/live/live-stream.js';
import { parseTopics } from '../../../src/operation/live/topics.js';
import { topicLingerMs, TopicNotices } from '../../../src/placement/topic-notices.js';
import type { Executions } from '../../../src/shard/executions.js';
import { parseEvents, type StreamEvent } from '../../support/event-stream.js';
import { PeerNetwork } from '../../support/peer-network.js';
import { VirtualClock } from '../../support/virtual-clock.js';

/** Long enough for changes to be collected and sent. */
const settleMs = 1000;
let clock: VirtualClock;
let notices: TopicNotices;
let hub: LiveHub;
let revision: number;

const reader: Caller = { kind: 'user', id: 'r@x.org', roles: ['USER'], groups: [] };
/** `reader` may read executions of `open` only. */
const access: AccessRules = {
  may: (caller, _right, { id }) => caller.roles.includes('ADMIN') || id === 'open',
  isNameHeld: () => true,
  heldSince: () => 0,
  hasPermission: () => true,
};

beforeEach(() => {
  clock = new VirtualClock();
  revision = 1;
  notices = new TopicNotices(new PeerNetwork().join('n1'), clock);
  const executions = { read: () => Promise.resolve(undefined) } as unknown as Executions;
  const jobs = {
    get: (_caller: Caller, id: string): never => {
      throw new AppError('not-found', `There is no bulk job ${id}`);
    },
  };
  hub = new LiveHub({
    ...{ access, notices, clock, jobs, context: { executions }, streamsMax: 3 },
    identityRevision: () => revision,
  });
});

class Reader implements StreamSink {
  text = '';
  isOver = false;
  readonly #listeners: (() => void)[] = [];

  write(piece: string): boolean {
    if (!this.isOver) this.text += piece;
    return !this.isOver;
  }

  end(): void {
    if (this.isOver) return;
    this.isOver = true;
    for (const listener of this.#listeners) listener();
  }

  onClose(listener: () => void): void {
    this.#listeners.push(listener);
  }

  get events(): StreamEvent[] {
    return parseEvents(this.text);
  }

  get kinds(): string[] {
    return this.events.map(({ event }) => event);
  }

  get lastId(): string {
    return this.events.at(-1)?.id ?? '';
  }
}

async function open(
  names: string,
  { caller = localAdministrator, lastEventId }: { caller?: Caller; lastEventId?: string } = {},
): Promise<Reader> {
  const topics = parseTopics(names.split(','));
  await hub.prepare(caller, topics);
  const sink = new Reader();
  hub.open({ caller, topics, lastEventId }, sink);
  return sink;
}

function execution(workflowName: string, id: string): void {
  const content = { workflowId: id, workflowName, status: 'RUNNING' };
  notices.publish({ topic: 'executions', key: id, content });
}

describe('a stream', () => {
  it('is ready, then sends the changes of its topics and no others', async () => {
    const all = await open('executions');
    const other = await open('inbox');
    execution('open', 'a');
    execution('open', 'b');
    clock.advance(settleMs);
    expect(all.kinds).toEqual(['ready', 'executions']);
    expect(
      all.events[1]?.data.changes.map((each: { workflowId: string }) => each.workflowId),
    ).toEqual(['a', 'b']);
    expect(other.kinds).toEqual(['ready']);
  });

  it('leaves out what its caller may not read', async () => {
    const some = await open('executions', { caller: reader });
    const all = await open('executions');
    execution('secret', 'a');
    clock.advance(settleMs);
    execution('secret', 'b');
    execution('open', 'c');
    clock.advance(settleMs);
    expect(some.kinds).toEqual(['ready', 'executions']);
    expect(some.text).not.toMatch(/secret/);
    expect(all.kinds).toEqual(['ready', 'executions', 'executions']);
  });

  it('gets a comment once in five seconds, and ends after ten minutes', async () => {
    const stream = await open('executions');
    clock.advance(10_000);
    expect(stream.text.split('\n\n').filter((frame) => frame === ':')).toHaveLength(2);
    clock.advance(600_000);
    expect([stream.isOver, hub.size]).toEqual([true, 0]);
  });

  it('ends when an identity has changed, so that its caller is authenticated again', async () => {
    const stream = await open('executions');
    revision = 2;
    clock.advance(5000);
    expect(stream.isOver).toBe(true);
  });

  it('is refused beyond the limit of the node, which is free again when one ends', async () => {
    const [first] = await Promise.all([open('inbox'), open('inbox'), open('inbox')]);
    await expect(open('inbox')).rejects.toMatchObject({ kind: 'unavailable' });
    first.end();
    await open('inbox');
    expect(hub.size).toBe(3);
  });

  it('of an execution that is not there is refused', async () => {
    const name = 'execution:0f4dc1e6-8c1f-4e5f-9d0b-0123456789ab';
    await expect(open(name)).rejects.toMatchObject({ kind: 'not-found' });
  });
});

describe('a reader that comes back', () => {
  it('is sent what it has missed, once', async () => {
    const before = await open('executions');
    execution('open', 'a');
    clock.advance(settleMs);
    const lastEventId = before.lastId;
    before.end();
    execution('open', 'b');
    clock.advance(settleMs);
    const after = await open('executions', { lastEventId });
    expect(after.kinds).toEqual(['executions', 'ready']);
    expect(after.events[0]?.data.changes).toMatchObject([{ workflowId: 'b' }]);
    const again = await open('executions', { lastEventId: after.lastId });
    expect(again.kinds).toEqual(['ready']);
  });

  it.each([
    ['with the id of another node', 'elsewhere-1'],
    ['with something that is no id', 'x'],
  ])('%s reads the state again', async (_how, lastEventId) => {
    const stream = await open('executions,queues', { lastEventId });
    expect(stream.kinds).toEqual(['reset', 'ready']);
    expect(stream.events[0]?.data).toEqual({ topics: ['executions'] });
  });

  it('after the node has stopped listening reads the state again', async () => {
    const before = await open('executions');
    const { lastId: lastEventId } = before;
    before.end();
    clock.advance(topicLingerMs);
    const after = await open('executions', { lastEventId });
    expect(after.kinds).toEqual(['reset', 'ready']);
  });

  it('with a topic that it did not have reads the state of that one', async () => {
    const before = await open('executions');
    const { lastId: lastEventId } = before;
    execution('open', 'a');
    clock.advance(settleMs);
    const after = await open('executions,inbox', { lastEventId });
    expect(after.kinds).toEqual(['executions', 'reset', 'ready']);
    expect(after.events[1]?.data).toEqual({ topics: ['inbox'] });
  });
});

describe('changes that were lost on their way', () => {
  it('reset the topics concerned, also for readers that come back later', async () => {
    const stream = await open('executions,inbox');
    const { lastId: lastEventId } = stream;
    hub.missed(['executions']);
    expect(stream.events.at(-1)).toMatchObject({
      event: 'reset',
      data: { topics: ['executions'] },
    });
    const late = await open('executions,inbox', { lastEventId });
    expect(late.events[0]).toMatchObject({ event: 'reset', data: { topics: ['executions'] } });
    hub.missed(undefined);
    expect(stream.events.at(-1)?.data).toEqual({ topics: ['executions', 'inbox'] });
  });
});

describe('an inbox', () => {
  const task = {
    state: 'ASSIGNED',
    workflowId: 'w',
    workflowName: 'f',
    taskRefName: 'r',
    createdBy: '',
  };
  const mine = { ...task, assignee: { userType: 'CONDUCTOR_USER', user: reader.id } };
  const other = { ...task, assignee: { userType: 'CONDUCTOR_USER', user: 'o@x.org' } };

  it.each([
    ['comes', null, mine, [{ taskId: 't', state: 'ASSIGNED' }]],
    ['goes to another', mine, other, [{ taskId: 't', state: 'GONE' }]],
    ['is removed', mine, null, [{ taskId: 't', state: 'GONE' }]],
    ['was and is of another', other, other, undefined],
  ])('hears of a task that %s', async (_what, before, now, tasks) => {
    const stream = await open('inbox', { caller: reader });
    notices.publish({ topic: 'inbox', key: 't', content: { taskId: 't', before, now } });
    clock.advance(settleMs);
    if (tasks === undefined) expect(stream.kinds).toEqual(['ready']);
    else expect(stream.events[1]?.data).toMatchObject({ tasks });
    expect(stream.text).not.toMatch(/o@x/);
  });
});

describe('topics', () => {
  it.each(['', 'nothing', 'execution:', 'queues:x', 'overview:1y', 'executions:1'])(
    'refuse %j',
    (name) => {
      expect(() => parseTopics(name === '' ? [] : [name])).toThrow(/topics/);
    },
  );

  it('are at most fifty', () => {
    const names = Array.from({ length: 51 }, (_, i) => `overview:${i + 1}m`);
    expect(() => parseTopics(names)).toThrow(/more than 50/);
    expect(parseTopics(names.slice(1))).toHaveLength(50);
  });
});
