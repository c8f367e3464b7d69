// Executions that do not end by themselves, and messages between executions that can never be
// delivered: neither may hold up the node, keep a caller waiting for good, or resist being ended.
import { bySystem } from '../../src/shard/executions.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Command } from '../../src/engine/command.js';
import type { Caller } from '../../src/model/caller.js';
import type { JsonMap } from '../../src/model/json.js';
import { Payload } from '../../src/model/payload.js';
import type { ExecutionId } from '../../src/std/ids.js';
import { buildWorker, type BuiltWorker } from '../sandbox/built-worker.js';
import type { WireTask } from '../../testkit/wire.js';
import type { ShardNode } from './shard-node.js';
import { useShardNodes } from './shard-nodes.js';

const nodes = useShardNodes();
let node: ShardNode;

async function startNode(workflowDefs: JsonMap[] = []): Promise<void> {
  node = await nodes.start({ workflowDefs });
}

const simple = (ref: string): JsonMap => ({ name: ref, taskReferenceName: ref, type: 'SIMPLE' });
const noop = { name: 'n', taskReferenceName: 'n', type: 'NOOP' };
/** A script that is answered on this thread. */
const inPlace = { name: 'i', taskReferenceName: 'i', type: 'INLINE', inputParameters: { evaluatorType: 'javascript', expression: '1 + 1' } }; // prettier-ignore
function endless(loopOver: JsonMap[], more: JsonMap = {}): JsonMap {
  const loop = {
    name: 'l',
    taskReferenceName: 'l',
    type: 'DO_WHILE',
    loopCondition: 'true',
    inputParameters: { keepLastN: 1 },
    loopOver,
  };
  return { name: 'endless', version: 1, tasks: [loop], ...more };
}

const statusOf = (id: ExecutionId): Promise<string | undefined> =>
  node.shards.read(id, (open) => open.execution.state.status);
const iterationOf = (id: ExecutionId): Promise<number | undefined> =>
  node.shards.read(id, (open) => open.byNumber.get(1)?.iteration);

describe('a loop without end whose tasks need no worker', () => {
  it.each([
    ['a NOOP', noop],
    ['a script in place', inPlace],
  ])(
    'over %s answers its start, leaves the node to others, and can be terminated',
    async (_what, task) => {
      await startNode();
      const id = await node.startExecution(endless([task]));
      const other = await node.startExecution({ name: 'other', version: 1, tasks: [noop] });
      expect(await statusOf(other)).toBe('COMPLETED');
      expect(await statusOf(id)).toBe('RUNNING');
      await node.terminate(id);
      expect(await statusOf(id)).toBe('TERMINATED');
      expect(await node.stored(id)).toMatchObject({ '': 'TERMINATED', l: 'CANCELED' });
      expect(node.failures).toEqual([]);
    },
  );

  it('stops at a pause and goes on from there after a resume', async () => {
    await startNode();
    const id = await node.startExecution(endless([inPlace]));
    await node.shards.command(id, { kind: 'pause' }, bySystem);
    const before = (await iterationOf(id)) ?? 0;
    await new Promise((resolve) => setImmediate(resolve));
    expect(await iterationOf(id)).toBe(before);
    await node.shards.command(id, { kind: 'resume' }, bySystem);
    expect(await iterationOf(id)).toBeGreaterThan(before);
    await node.terminate(id);
    expect(await statusOf(id)).toBe('TERMINATED');
    expect(node.failures).toEqual([]);
  });

  it('ends at the timeout of its workflow', async () => {
    await startNode();
    const timed = endless([noop], { timeoutSeconds: 60, timeoutPolicy: 'TIME_OUT_WF' });
    const id = await node.startExecution(timed);
    nodes.clock.advance(61_000);
    await node.until('the timeout', async () => (await statusOf(id)) === 'TIMED_OUT', 0);
  });
});

describe('an execution that waits for a slow script', () => {
  const spin = { name: 's', taskReferenceName: 's', type: 'INLINE', inputParameters: { evaluatorType: 'javascript', expression: '(function () { while (true) {} })()' } }; // prettier-ignore
  const slow = { name: 'slow', version: 1, tasks: [simple('first'), spin] };

  let worker: BuiltWorker;
  beforeAll(() => void (worker = buildWorker()));
  afterAll(() => worker.remove());

  /** It waits for its script, behind those of others. */
  async function spinning(): Promise<ExecutionId> {
    node = await nodes.start({ workerUrl: worker.url, scriptTimeMsMax: 60_000 });
    const all = [];
    for (let at = 0; at < 4; at++) {
      const id = await node.startExecution(slow);
      const [task] = await node.poll('first').tasks;
      void node.complete(task as WireTask).catch(() => undefined);
      all.push(id);
    }
    return all.at(-1) as ExecutionId;
  }

  it('is terminated at once, before the script has an answer', async () => {
    const id = await spinning();
    await node.terminate(id);
    expect(await node.stored(id)).toEqual({ '': 'TERMINATED', first: 'COMPLETED', s: 'CANCELED' });
    expect(node.failures).toEqual([]);
  });

  it('is read meanwhile, and its caller is answered', async () => {
    node = await nodes.start({ workerUrl: worker.url, scriptTimeMsMax: 60_000 });
    const start = node.startExecution({ name: 'first', version: 1, tasks: [spin] });
    const id = await node.whileTimePasses(start);
    expect(await statusOf(id)).toBe('RUNNING');
    expect(await node.stored(id)).toEqual({ '': 'RUNNING', s: 'IN_PROGRESS' });

    const later = await node.startExecution(slow);
    const [task] = await node.poll('first').tasks;
    const report = node.complete(task as WireTask);
    const refs = node.shards.read(later, (open) => [...open.openTasks].map(({ ref }) => ref));
    expect(await node.whileTimePasses(refs)).toEqual(['s']);
    await node.whileTimePasses(report);
    await node.terminate(id);
    await node.terminate(later);
    expect(node.failures).toEqual([]);
  });

  it('has in its history what a person did of which a part is written, if its node dies then', async () => {
    node = await nodes.start({ workerUrl: worker.url, scriptTimeMsMax: 60_000 });
    const id = await node.startExecution(slow);
    const result = { status: 'COMPLETED', output: Payload.of({ x: 1 }) } as const;
    const report: Command = {
      kind: 'update-task',
      task: { taskNumber: 1 },
      result: { ...result, callbackAfterSeconds: 0, extendLease: false },
      mergeOutput: false,
    };
    const ann: Caller = { kind: 'user', id: 'ann', roles: [], groups: [] };
    node.shards.command(id, report, { caller: ann }).catch(() => undefined);
    const refs = node.shards.read(id, (open) => [...open.openTasks].map(({ ref }) => ref));
    expect(await node.whileTimePasses(refs)).toEqual(['s']);
    node = await nodes.restart(node);
    const history = node.shards.read(id, ({ execution }) => execution.history);
    expect(await node.whileTimePasses(history)).toMatchObject([{ action: 'update-task' }]);
    await node.terminate(id);
  });

  it('is paused at once, and asks again after a resume', async () => {
    const id = await spinning();
    await node.shards.command(id, { kind: 'pause' }, bySystem);
    expect(await statusOf(id)).toBe('PAUSED');
    void node.shards.command(id, { kind: 'resume' }, bySystem).catch(() => undefined);
    await node.terminate(id);
    expect(await statusOf(id)).toBe('TERMINATED');
    expect(node.failures).toEqual([]);
  });
});

describe('a start that an execution orders', () => {
  it.each([
    ['SUB_WORKFLOW', { subWorkflowParam: { name: 'kid', version: 1 } }],
    ['START_WORKFLOW', {}],
  ])(
    'by %s with an input beyond the limit fails its task instead of being repeated for good',
    async (type, more) => {
      await startNode([{ name: 'kid', version: 1, tasks: [noop] }]);
      // Every character takes two bytes, so that only the written text is too long.
      const input = { big: 'ä'.repeat(3_000_000) };
      const own = { a: '${workflow.input.big}', b: '${workflow.input.big}' };
      const inputParameters =
        type === 'SUB_WORKFLOW' ? own : { startWorkflow: { name: 'kid', version: 1, input: own } };
      const task = { name: 't', taskReferenceName: 't', type, inputParameters, ...more };
      const id = await node.startExecution({ name: 'p', version: 1, tasks: [task] }, input);
      await node.until('the end', async () => (await statusOf(id)) === 'FAILED');
      expect(await node.shards.read(id, (open) => open.byNumber.get(1)?.reason)).toContain(
        'The input of the workflow is larger than',
      );
    },
  );
});
