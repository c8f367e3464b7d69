// What callers do to an execution stands in its history, in the very commit of what they did. A run
// that nobody touches writes nothing for it.
import { beforeEach, describe, expect, it } from 'vitest';
import type { Command } from '../../src/engine/command.js';
import { systemCaller, type Caller, type Control } from '../../src/model/caller.js';
import type { HistoryEntry } from '../../src/model/history.js';
import { Payload } from '../../src/model/payload.js';
import { shardOf, taskIdOf, type ExecutionId } from '../../src/std/ids.js';
import type { WireTask } from '../../testkit/wire.js';
import { chainOf, type ShardNode, shards } from './shard-node.js';
import { useShardNodes } from './shard-nodes.js';

const ann: Caller = { kind: 'user', id: 'ann', roles: [], groups: [] };
const program: Caller = { kind: 'application', id: 'app:1', roles: [], groups: [] };

const nodes = useShardNodes();
let node: ShardNode;

beforeEach(async () => {
  node = await nodes.start();
});

async function send(id: ExecutionId, command: Command, control: Control): Promise<void> {
  await node.shards.command(id, command, { ...control });
}

/** As the store has it, read by nobody who knew it before. */
async function stored(id: ExecutionId): Promise<readonly HistoryEntry[]> {
  node.placement.lost(new Error('for the test'));
  await node.until('serving again', () => node.isServing);
  return (await node.shards.read(id, ({ execution }) => execution.history)) ?? [];
}

async function runOnce(id: ExecutionId): Promise<WireTask> {
  const [task] = await node.poll('a', { timeoutMs: 600_000 }).tasks;
  expect(task?.workflowInstanceId).toBe(id);
  await node.complete(task as WireTask, { secret: 'value' });
  return task as WireTask;
}

describe('the history of an execution', () => {
  it('tells who did what, when and why, and survives its end', async () => {
    const id = await node.startExecution(chainOf('told', 'a'));
    await send(id, { kind: 'pause' }, { caller: ann, reason: 'lunch' });
    await send(id, { kind: 'resume' }, { caller: program });
    await runOnce(id);
    const variables = { colour: 'red' };
    const rerun: Command = { kind: 'rerun', taskNumber: 1, taskInput: { size: 'large' } };
    await send(id, rerun, { caller: ann, reason: 'too small' });
    await send(id, { kind: 'update-variables', variables }, { caller: ann });
    await runOnce(id);
    expect(await stored(id)).toMatchObject([
      { revision: 2, actor: 'app:1', actorKind: 'application', action: 'resume' },
      {
        revision: 3,
        action: 'rerun',
        taskId: taskIdOf(id, 1),
        reason: 'too small',
        changes: { taskInput: ['size'] },
      },
      { revision: 4, actor: 'ann', changes: { variables: ['colour'] } },
    ]);
  });

  it('is absent from what a run writes that nobody touches', async () => {
    const id = await node.startExecution(chainOf('plain', 'a', 'a2'));
    await runOnce(id);
    const key = node.redis.keys.execution(shardOf(id, shards), id);
    expect(await node.redis.reads.call('HEXISTS', key, 'y')).toBe(0);
    await send(id, { kind: 'pause' }, { caller: systemCaller });
    expect(await node.redis.reads.call('HEXISTS', key, 'y')).toBe(0);
    await send(id, { kind: 'resume' }, { caller: ann });
    expect(await node.redis.reads.call('HEXISTS', key, 'y')).toBe(1);
  });

  it('tells of reports that a person gives, and of no other', async () => {
    const report = (caller: Caller): Promise<unknown> =>
      node.startExecution(chainOf('reported', 'a')).then(async (id) => {
        const result = { status: 'COMPLETED', output: Payload.of({ x: 1 }) } as const;
        const command: Command = {
          kind: 'update-task',
          task: { taskNumber: 1 },
          result: { ...result, callbackAfterSeconds: 0, extendLease: false },
          mergeOutput: false,
        };
        await node.shards.command(id, command, { caller });
        return stored(id);
      });
    expect(await report(systemCaller)).toEqual([]);
    expect(await report(program)).toEqual([]);
    expect(await report(ann)).toMatchObject([
      { action: 'update-task', changes: { status: 'COMPLETED', output: ['x'] } },
    ]);
  });

  it('tells nothing of controls that are refused or change nothing', async () => {
    const id = await node.startExecution(chainOf('refused', 'a'));
    await expect(send(id, { kind: 'resume' }, { caller: ann })).rejects.toThrow();
    await send(id, { kind: 'pause' }, { caller: ann });
    await send(id, { kind: 'pause' }, { caller: ann });
    expect(await stored(id)).toMatchObject([{ revision: 1, action: 'pause' }]);
  });
});
