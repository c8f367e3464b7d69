// Reading an execution whose definition snapshot is not there: undone with it by a failover that
// came between the two reads, or missing for good.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Execution } from '../../src/model/execution.js';
import type { Connection } from '../../src/redis/connection.js';
import { ExecutionLoader } from '../../src/redis/execution-loader.js';
import { RedisExecutionStore } from '../../src/redis/execution-store.js';
import { RedisShardStore } from '../../src/redis/shard-store.js';
import { SnapshotCache } from '../../src/redis/snapshots.js';
import type { Fence } from '../../src/store/execution-store.js';
import {
  createdChanges,
  sampleCommit,
  sampleExecution,
  sampleSnapshot,
  startStore,
  storeKinds,
  type TestStore,
} from '../../testkit/samples.js';

const node = { nodeId: 'n1', bootId: 'b1', address: '127.0.0.1:1', peerAddress: '' };

describe.each(storeKinds)('on %s, a missing definition snapshot', (kind) => {
  let test: TestStore;
  let fence: Fence;

  beforeAll(async () => {
    test = await startStore(kind, { partitions: 2 });
    [fence] = (await new RedisShardStore(test.redis).acquire(node, [1])).fences as [Fence];
  });
  afterAll(async () => test.stop());

  async function start(name: string): Promise<Execution> {
    const execution = sampleExecution(1, sampleSnapshot(name, ['a']));
    const changes = createdChanges(execution);
    const commit = sampleCommit(fence, execution, { changes, head: '', nextHead: 'h1' });
    const store = new RedisExecutionStore(test.redis, 4);
    expect(await store.commit([commit])).toMatchObject({ commits: ['committed'] });
    return execution;
  }

  function snapshotKey({ snapshot }: Execution): string {
    const { keys } = test.redis;
    return keys.snapshot(keys.partitionOf(1), snapshot.hash);
  }

  it('that a failover took away with its execution reads as no execution', async () => {
    const execution = await start('undone');
    const { keys, confirmedReads, commits } = test.redis;
    const reads: Pick<Connection, 'callAll' | 'callBuffer'> = {
      callAll: (commands) => confirmedReads.callAll(commands),
      async callBuffer(name, ...args) {
        if (args[0] !== snapshotKey(execution)) {
          return await confirmedReads.callBuffer(name, ...args);
        }
        await commits.call('DEL', keys.execution(1, execution.id));
        return null;
      },
    };
    const loader = new ExecutionLoader(reads as Connection, keys, new SnapshotCache());
    expect(await loader.load(1, execution.id)).toBeUndefined();
  });

  it('that is gone for good is named', async () => {
    const execution = await start('missing');
    await test.redis.commits.call('DEL', snapshotKey(execution));
    const store = new RedisExecutionStore(test.redis, 4);
    await expect(store.load(1, execution.id)).rejects.toThrow(execution.snapshot.hash);
  });
});
