// Commits that are too large for one write: segments, and texts that stand in pieces.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Changes, taskPart } from '../../src/engine/decision.js';
import { toJsonText } from '../../src/model/json-text.js';
import { Payload } from '../../src/model/payload.js';
import type { Execution } from '../../src/model/execution.js';
import { commitLimits } from '../../src/redis/commit-encoder.js';
import { textPieceBytes } from '../../src/redis/codec/text-pieces.js';
import { shortIdOf } from '../../src/redis/codec/short-id.js';
import { RedisExecutionStore } from '../../src/redis/execution-store.js';
import { RedisShardStore } from '../../src/redis/shard-store.js';
import type { Fence } from '../../src/store/execution-store.js';
import {
  createdChanges,
  plain,
  sampleCommit,
  sampleExecution,
  sampleSnapshot,
  sampleTask,
  startStore,
  storeKinds,
  type TestStore,
} from '../../testkit/samples.js';

const shards = 4;
/** Fewer than shards, so that two share one. */
const partitions = 2;
const node = { nodeId: 'n1', bootId: 'b1', address: '127.0.0.1:1', peerAddress: '' };

let test: TestStore;
let store: RedisExecutionStore;
let fence: Fence;

describe.each(storeKinds)('on %s', (kind) => {
  beforeAll(async () => {
    test = await startStore(kind, { partitions });
    store = new RedisExecutionStore(test.redis, shards);
    [fence] = (await new RedisShardStore(test.redis).acquire(node, [1])).fences as [Fence];
  });
  afterAll(async () => test.stop());

  /** A store without memory of what this process has written, as after a restart. */
  function freshStore(): RedisExecutionStore {
    return new RedisExecutionStore(test.redis, shards);
  }

  async function start(name: string, refs: string[] = ['a', 'b']): Promise<Execution> {
    const execution = sampleExecution(1, sampleSnapshot(name, refs));
    execution.tasks.push(sampleTask(1, execution.snapshot.def.tasks[0] as never));
    const changes = createdChanges(execution);
    const commit = sampleCommit(fence, execution, { changes, head: '', nextHead: 'h1' });
    expect(await store.commit([commit])).toMatchObject({ commits: ['committed'] });
    return execution;
  }

  async function memoryOf(pattern: string): Promise<string[]> {
    return ((await test.redis.reads.call('KEYS', pattern)) as string[]).sort();
  }

  describe('a large commit', () => {
    const limits = { ...commitLimits, commitBytesMax: 2000, segmentWriteBytesMax: 500 };

    it('is staged, read back whole, changed and removed', async () => {
      const large = new RedisExecutionStore(test.redis, shards, limits);
      const snapshot = sampleSnapshot('staged', ['a', 'b', 'c']);
      const execution = sampleExecution(1, snapshot);
      for (let number = 1; number <= 40; number++) {
        execution.tasks.push(sampleTask(number, snapshot.def.tasks[number % 3] as never));
      }
      const changes = createdChanges(execution);
      const first = sampleCommit(fence, execution, { changes, head: '', nextHead: 'h1' });
      expect(await large.commit([first])).toMatchObject({ commits: ['committed'] });
      expect((await memoryOf(`*${shortIdOf(execution.id)}:g*`)).length).toBe(1);
      expect(plain((await freshStore().load(1, execution.id))?.execution)).toEqual(
        plain(execution),
      );

      const changed = execution.tasks[4] as Execution['tasks'][0];
      changed.status = 'FAILED';
      execution.tasks = execution.tasks.filter((task) => task.number !== 7);
      const next = new Changes();
      next.touch(changed, taskPart.record);
      next.removedTasks.add(7);
      await large.commit([
        sampleCommit(fence, execution, { changes: next, head: 'h1', nextHead: 'h2' }),
      ]);
      expect(plain((await freshStore().load(1, execution.id))?.execution)).toEqual(
        plain(execution),
      );

      for (const task of execution.tasks) task.status = 'CANCELED';
      const all = new Changes();
      for (const task of execution.tasks) all.touch(task, taskPart.record | taskPart.input);
      await large.commit([
        sampleCommit(fence, execution, { changes: all, head: 'h2', nextHead: 'h3' }),
      ]);
      expect(plain((await freshStore().load(1, execution.id))?.execution)).toEqual(
        plain(execution),
      );

      const loaded = (await freshStore().load(1, execution.id))?.execution as Execution;
      await large.commit([
        sampleCommit(fence, loaded, {
          changes: new Changes(),
          head: 'h3',
          nextHead: 'h4',
          remove: true,
        }),
      ]);
      expect(await memoryOf(`*${shortIdOf(execution.id)}*`)).toEqual([]);
    });

    it('writes a huge text in pieces, once for all that name it, and removes them', async () => {
      const snapshot = sampleSnapshot('pieces', ['a']);
      const execution = sampleExecution(1, snapshot);
      const task = sampleTask(1, snapshot.def.tasks[0] as never);
      const text = toJsonText({ text: 'äb'.repeat(textPieceBytes) });
      const huge = Payload.ofBytes(Buffer.from(text));
      task.output = huge;
      // A small field comes behind the huge one.
      execution.tasks.push(task, sampleTask(2, snapshot.def.tasks[0] as never));
      execution.output = huge;
      const changes = createdChanges(execution);
      await store.commit([sampleCommit(fence, execution, { changes, head: '', nextHead: 'h1' })]);
      const [segment = ''] = await memoryOf(`*${shortIdOf(execution.id)}:g*`);
      const pieces = Math.ceil(Buffer.byteLength(text) / textPieceBytes);
      expect(pieces).toBeGreaterThan(2);
      const names = async (): Promise<string[]> =>
        ((await test.redis.reads.call('HKEYS', segment)) as string[]).filter((name) =>
          name.startsWith('p'),
        );
      expect((await names()).length).toBe(pieces);

      // As a node that takes it over finds it.
      const other = freshStore();
      const loaded = (await other.load(1, execution.id))?.execution as Execution;
      expect(loaded.output.text === text && loaded.tasks[0]?.output.text === text).toBe(true);
      expect(loaded.tasks[1]?.input.text).toBe(execution.tasks[1]?.input.text);

      loaded.tasks = [];
      const removed = new Changes();
      removed.removedTasks.add(1);
      removed.removedTasks.add(2);
      await other.commit([
        sampleCommit(fence, loaded, { changes: removed, head: 'h1', nextHead: 'h2' }),
      ]);
      expect((await freshStore().load(1, execution.id))?.execution.output.text === text).toBe(true);

      loaded.output = Payload.ofBytes(Buffer.from(toJsonText({ other: 'c'.repeat(3_000_000) })));
      const replaced = new Changes();
      replaced.output = true;
      await other.commit([
        sampleCommit(fence, loaded, { changes: replaced, head: 'h2', nextHead: 'h3' }),
      ]);
      expect(await names()).toEqual([]);
      const again = (await freshStore().load(1, execution.id))?.execution as Execution;
      expect(again.output.text === loaded.output.text).toBe(true);

      const rest = { changes: new Changes(), head: 'h3', nextHead: 'h4', remove: true };
      await other.commit([sampleCommit(fence, loaded, rest)]);
      expect(await memoryOf(`*${shortIdOf(execution.id)}*`)).toEqual([]);
    });

    it('shows nothing of a segment that no commit made current', async () => {
      const large = new RedisExecutionStore(test.redis, shards, limits);
      const execution = await start('unlisted');
      const before = plain((await freshStore().load(1, execution.id))?.execution);
      const loaded = (await large.load(1, execution.id))?.execution as Execution;
      const changes = new Changes();
      for (let number = 2; number <= 40; number++) {
        const task = sampleTask(number, loaded.snapshot.def.tasks[0] as never);
        loaded.tasks.push(task);
        changes.touch(task, taskPart.record | taskPart.input);
      }
      const wrong = sampleCommit(fence, loaded, { changes, head: 'not it', nextHead: 'h2' });
      expect(await large.commit([wrong])).toMatchObject({ commits: ['wrong-head'] });
      const [segment] = await memoryOf(`*${shortIdOf(execution.id)}:g*`);
      expect(await test.redis.reads.call('PTTL', segment as string)).toBeGreaterThan(0);
      expect(plain((await freshStore().load(1, execution.id))?.execution)).toEqual(before);
    });
  });
});
