// Retry with edited input (contract-core 10.6): all or nothing, safe against a crash between the
// command and its attempts (each step of the world is one), and kept by the attempts that follow.
import { describe, expect, it } from 'vitest';
import type { Command } from '../../../src/engine/command.js';
import type { JsonMap } from '../../../src/model/json.js';
import type { ExecutionId } from '../../../src/std/ids.js';
import { simple, taskOf, workflow, World } from '../support/world.js';

type Inputs = { [ref: string]: JsonMap };

const retryWith = (taskInputs: Inputs): Command => ({
  kind: 'retry',
  resumeSubworkflowTasks: false,
  taskInputs,
});

const def = (name: string, over: JsonMap = {}): JsonMap => ({
  name,
  retryCount: 0,
  ownerEmail: 'a@b.co',
  ...over,
});

const order = simple('a', { inputParameters: { url: '${workflow.input.url}', size: 1 } });

function failed(world: World): ExecutionId {
  const id = world.start(workflow([order, simple('b')]), { url: 'broken' });
  world.work('a', {}, 'FAILED_WITH_TERMINAL_ERROR');
  expect(world.status(id)).toBe('FAILED');
  return id;
}

/** Everything that a refusal must leave as it was. */
function everything(world: World, id: ExecutionId): string {
  const { tasks, state, outbox, input, output } = world.open(id).execution;
  return JSON.stringify([tasks, state, [...outbox], input.text, output.text]);
}

describe('a retry with edited input', () => {
  it('gives the new attempt that input, and leaves the failed one as it was', () => {
    const world = new World({ taskDefs: [def('a'), def('b')] });
    const id = failed(world);
    expect(world.command(id, retryWith({ a: { url: 'right' } })).kind).toBe('ok');
    const [before, attempt] = world.open(id).execution.tasks;
    expect(before).toMatchObject({ retried: true, status: 'FAILED_WITH_TERMINAL_ERROR' });
    expect(before?.input.value).toEqual({ url: 'broken', size: 1 });
    expect(before?.notes).toBeUndefined();
    expect(attempt?.input.value).toEqual({ url: 'right' });
    expect(world.list(id).at(-1)).toBe('2 a a SCHEDULED #1');
    world.work('a');
    world.work('b');
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('lets automatic retries and later manual ones keep it', () => {
    const world = new World({
      taskDefs: [def('a', { retryCount: 2, retryDelaySeconds: 0 }), def('b')],
    });
    const id = failed(world);
    world.command(id, retryWith({ a: { url: 'right' } }));
    world.work('a', {}, 'FAILED');
    expect(world.list(id).at(-1)).toBe('3 a a SCHEDULED #2');
    expect(world.inputOf(id, 'a')).toEqual({ url: 'right' });
    world.work('a', {}, 'FAILED');
    expect(world.status(id)).toBe('FAILED');
    world.command(id, { kind: 'retry', resumeSubworkflowTasks: false });
    expect(world.inputOf(id, 'a')).toEqual({ url: 'right' });
  });

  it('retries what is not edited with its parameters evaluated again', () => {
    const world = new World({ taskDefs: [def('a'), def('b')] });
    const branches = [
      [order],
      [simple('b', { inputParameters: { url: '${workflow.input.url}' } })],
    ];
    const fork = taskOf('FORK_JOIN', 'f', { forkTasks: branches });
    const id = world.start(workflow([fork, taskOf('JOIN', 'j', { joinOn: ['a', 'b'] })]), {
      url: 'broken',
    });
    world.work('a', {}, 'FAILED');
    expect(world.status(id)).toBe('FAILED');
    world.command(id, retryWith({ a: { url: 'right' } }));
    expect(world.inputOf(id, 'a')).toEqual({ url: 'right' });
    expect(world.inputOf(id, 'b')).toEqual({ url: 'broken' });
    world.work('a');
    world.work('b');
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('takes the reference name that the record of a loop shows', () => {
    const world = new World({ taskDefs: [def('a')] });
    const loop = taskOf('DO_WHILE', 'd', { loopOver: [order], loopCondition: 'false' });
    const id = world.start(workflow([loop]), { url: 'broken' });
    world.work('a', {}, 'FAILED');
    expect(world.status(id)).toBe('FAILED');
    expect(world.command(id, retryWith({ a: {} }))).toMatchObject({ kind: 'refused' });
    expect(world.command(id, retryWith({ a__1: { url: 'right' } })).kind).toBe('ok');
    expect(world.inputOf(id, 'a__1')).toEqual({ url: 'right' });
  });

  it('gives it to the new child of a SUB_WORKFLOW', () => {
    const child = workflow([order], { name: 'child' });
    const world = new World({ taskDefs: [def('a')], workflowDefs: [child] });
    const parent = taskOf('SUB_WORKFLOW', 's', {
      subWorkflowParam: { name: 'child' },
      inputParameters: { url: 'broken' },
    });
    const id = world.start(workflow([parent]));
    const first = world.child(id, 's');
    world.work('a', {}, 'FAILED');
    expect(world.status(id)).toBe('FAILED');
    world.command(id, retryWith({ s: { url: 'right' } }));
    const second = world.child(id, 's');
    expect(second).not.toBe(first);
    expect(world.open(second).execution.input.value).toEqual({ url: 'right' });
    expect(world.inputOf(id, 's')).toMatchObject({ subWorkflowName: 'child' });
  });

  it('renews the end of a WAIT', () => {
    const world = new World();
    const wait = taskOf('WAIT', 'w', { inputParameters: { duration: '1 hours' } });
    const id = world.start(workflow([wait]));
    world.report(id, 'w', 'FAILED');
    expect(world.status(id)).toBe('FAILED');
    expect(world.command(id, retryWith({ w: { duration: 'soon' } }))).toMatchObject({
      kind: 'refused',
      error: { kind: 'bad-request' },
    });
    world.command(id, retryWith({ w: { duration: '5 seconds' } }));
    world.pass(6000);
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('keeps values that readers see masked where they come back so', () => {
    const world = new World({ taskDefs: [def('a')] });
    const inputParameters = { login: { name: 'x', password: 'hunter2' }, _secrets: { k: 'v' } };
    const masked = { ...workflow([simple('a', { inputParameters })]), maskedFields: ['password'] };
    const id = world.start(masked);
    world.work('a', {}, 'FAILED');
    const shown = { login: { name: '***', password: '***' }, _secrets: { k: '***' }, more: '***' };
    world.command(id, retryWith({ a: shown }));
    expect(world.inputOf(id, 'a')).toEqual({
      login: { name: '***', password: 'hunter2' },
      _secrets: { k: 'v' },
      more: '***',
    });
  });
});

describe('an edited input that cannot be taken', () => {
  const schema = { type: 'object', required: ['url'] };
  const refusals: [string, Inputs, RegExp][] = [
    ['of no task', { zzz: {} }, /^taskInputs\.zzz: the execution has no task of this reference/],
    ['of an inherited name', { constructor: {} }, /^taskInputs\.constructor: the execution has no/],
    ['of a task that completed', { first: {} }, /^taskInputs\.first: the task is COMPLETED, /],
    ['of a JOIN', { j: {} }, /^taskInputs\.j: the task is CANCELED, the retry makes no new/],
    ['that is too large', { a: { x: 'x'.repeat(2000) } }, /^taskInputs\.a: larger than 1000 bytes/],
    ['against its schema', { a: { size: 1 } }, /^taskInputs\.a: .* does not match its schema: /],
  ];

  it.each(refusals)('is refused and changes nothing: %s', (_what, wrong, message) => {
    const world = new World({
      taskDefs: [
        def('first'),
        def('a', { enforceSchema: true, inputSchema: { type: 'JSON', data: schema } }),
        def('b'),
      ],
      limits: { taskPayloadBytesMax: 1000 },
    });
    const fork = taskOf('FORK_JOIN', 'f', { forkTasks: [[order], [simple('b')]] });
    const join = taskOf('JOIN', 'j', { joinOn: ['a', 'b'] });
    const id = world.start(workflow([simple('first'), fork, join]), { url: 'broken' });
    world.work('first');
    world.work('a', {}, 'FAILED');
    expect(world.status(id)).toBe('FAILED');
    const before = everything(world, id);
    // The other edit is right, and is not carried out either.
    const reply = world.command(id, retryWith({ b: { fine: true }, ...wrong }));
    expect(reply).toMatchObject({ kind: 'refused', error: { kind: 'bad-request' } });
    expect((reply as { error: Error }).error.message).toMatch(message);
    expect(everything(world, id)).toBe(before);
  });
});
