// Outputs leave executions in one place, once they are durable (invariants M4). Types hold that:
// each way out takes what is durable, and the lint rules refuse to call anything durable elsewhere
// than where the store has answered.
import { expect, expectTypeOf, it } from 'vitest';
import type { OutboxMessage, Task } from '../../src/model/execution.js';
import type { PollHub } from '../../src/queue/poll-hub.js';
import type { ReadyAttempt } from '../../src/queue/ready-head.js';
import type { CommitPipeline } from '../../src/shard/commit-pipeline.js';
import type { SystemTasks } from '../../src/shard/executions.js';
import type { MessageCarrier, OutputRelease } from '../../src/shard/output-release.js';
import type { ReleasedOutput, TracedOutputs } from '../../src/shard/pending-commit.js';
import type { TaskDispatch } from '../../src/shard/task-dispatch.js';
import type { Attempt, Push } from '../../src/store/queue-store.js';
import { refusalsOf } from './lint-line.js';

it('lets out nothing that has not passed the gate', () => {
  type Undurable = readonly TracedOutputs<ReleasedOutput>[];
  type Of<Kind> = Extract<ReleasedOutput, { kind: Kind }>;
  expectTypeOf<Undurable>().not.toExtend<Parameters<OutputRelease['release']>[1]>();
  expectTypeOf<Undurable>().not.toExtend<Parameters<CommitPipeline['release']>[1]>();
  expectTypeOf<Of<'enqueued'>>().not.toExtend<Parameters<TaskDispatch['announce']>[0]>();
  expectTypeOf<Of<'push'>>().not.toExtend<Parameters<TaskDispatch['release']>[1]>();
  expectTypeOf<Of<'requeue'>>().not.toExtend<Parameters<TaskDispatch['requeue']>[1]>();
  expectTypeOf<Of<'unschedule'>>().not.toExtend<Parameters<TaskDispatch['withdraw']>[1]>();
  expectTypeOf<Of<'extend'>>().not.toExtend<Parameters<TaskDispatch['extend']>[1]>();
  expectTypeOf<{ kind: 'send'; message: OutboxMessage }>().not.toExtend<
    Parameters<MessageCarrier['deliver']>[1]
  >();
  expectTypeOf<Task>().not.toExtend<Parameters<SystemTasks['run']>[1]>();
  expectTypeOf<Task>().not.toExtend<Parameters<SystemTasks['cancel']>[1]>();
  expectTypeOf<Push>().not.toExtend<Parameters<PollHub['push']>[0]>();
  expectTypeOf<ReadyAttempt>().not.toExtend<Parameters<PollHub['ready']>[0]>();
  expectTypeOf<Attempt>().not.toExtend<Parameters<PollHub['finish']>[1]>();
});

const imported = "import { durable } from '../std/durable.js';";
const line = 'export const given = (a: object): object =>';

it.each([
  ['src/shard/task-dispatch.ts', `${imported}\n${line} durable(a);`, true],
  ['src/queue/poll-hub.ts', `${imported}\n${line} durable(a);`, true],
  ['src/shard/pending-commit.ts', `${imported}\n${line} durable(a);`, false],
  [
    'src/shard/task-dispatch.ts',
    `import type { Durable } from '../std/durable.js';\n${line} a as Durable<object>;`,
    true,
  ],
])('in %s %s is refused: %s', { timeout: 60_000 }, async (filePath, source, isRefused) => {
  const rules = await refusalsOf(`${source}\n`, filePath);
  expect(rules.some((rule) => rule.startsWith('no-restricted'))).toBe(isRefused);
});
