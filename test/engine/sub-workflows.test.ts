// Parents and children (semantics 2.11, 4.10): start, end, failure, termination, all by messages
// that are delivered at least once.
import { describe, expect, it } from 'vitest';
import type { JsonMap } from '../../src/model/json.js';
import { simple, taskOf, workflow, World } from './support/world.js';

const child = workflow([simple('c')], { name: 'child' });
const sub = (more: JsonMap = {}): JsonMap =>
  taskOf('SUB_WORKFLOW', 'sub', { subWorkflowParam: { name: 'child', version: 1 }, ...more });

function started(more: JsonMap = {}, rest: JsonMap[] = [], taskDefs: JsonMap[] = []) {
  const world = new World({
    workflowDefs: [child],
    taskDefs: [{ name: 'c', retryCount: 0 }, ...taskDefs],
  });
  const id = world.start(workflow([sub(more), ...rest]), {}, { correlationId: 'cc', priority: 7 });
  return { world, id, childId: world.child(id, 'sub') };
}

describe('a sub-workflow', () => {
  it('runs with its parent in mind and hands its output over', () => {
    const { world, id, childId } = started({ inputParameters: { v: 4 } });
    expect(world.list(id)).toEqual(['1 sub SUB_WORKFLOW IN_PROGRESS']);
    expect(world.outputOf(id, 'sub')).toEqual({ subWorkflowId: childId });
    const { attributes, input } = world.open(childId).execution;
    expect(attributes).toMatchObject({
      parentWorkflowId: id,
      parentTaskNumber: 1,
      correlationId: 'cc',
      priority: 7,
    });
    expect(input.value).toEqual({ v: 4 });
    world.work('c', { k: 1 });
    expect(world.outputOf(id, 'sub')).toEqual({ subWorkflowId: childId, k: 1 });
    expect([world.status(childId), world.status(id)]).toEqual(['COMPLETED', 'COMPLETED']);
    expect(world.open(id).execution.outbox.size + world.open(childId).execution.outbox.size).toBe(
      0,
    );
  });

  it('tells its end again, and only its end, when it is ordered again', () => {
    const { world, id, childId } = started();
    const again = { kind: 'report-end-again' } as const;
    world.command(childId, again);
    expect(world.open(childId).execution.state.outboxCounter).toBe(0);
    // The parent that heard of the end is not the one whose state a failover has kept.
    const deliver = world.deliver.bind(world);
    world.deliver = (from, { id: messageId }) => {
      const answer = { kind: 'done' } as const;
      world.settle(from, { kind: 'message-delivered', messageId, answer });
    };
    world.work('c', { k: 1 });
    world.deliver = deliver;
    expect([world.status(childId), world.status(id)]).toEqual(['COMPLETED', 'RUNNING']);
    world.command(childId, again);
    expect(world.outputOf(id, 'sub')).toEqual({ subWorkflowId: childId, k: 1 });
    expect(world.status(id)).toBe('COMPLETED');
    world.command(childId, again);
    expect(world.open(childId).execution.outbox.size).toBe(0);
  });

  it('gives the technical keys to a child without parameters', () => {
    const { world, childId } = started();
    expect(Object.keys(world.open(childId).execution.input.value)).toContain('subWorkflowName');
  });

  it('fails its parent with a reason that names it', () => {
    const { world, id } = started();
    world.poll('c');
    const childId = world.child(id, 'sub');
    world.report(childId, 'c', 'FAILED', { o: 1 }, { reasonForIncompletion: 'no' });
    expect(world.status(id)).toBe('FAILED');
    expect(world.task(id, 'sub').reason).toMatch(
      /^Sub workflow child\.1\/\S+ failure reason: Task \S+ failed/,
    );
    expect(world.outputOf(id, 'sub')).toEqual({ subWorkflowId: childId, o: 1 });
  });

  it('terminated by hand cancels its task and terminates the parent', () => {
    const { world, id, childId } = started();
    world.command(childId, {
      kind: 'terminate',
      reason: 'r',
      triggerFailureWorkflow: false,
      byParent: false,
    });
    expect(world.list(id)).toEqual(['1 sub SUB_WORKFLOW CANCELED']);
    expect(world.status(id)).toBe('TERMINATED');
    expect(world.reason(id)).toContain(
      "failed with status: TERMINATED and reason: 'Sub workflow child.1/",
    );
  });

  it('ends with its parent, which keeps no reason on the task', () => {
    const { world, id, childId } = started();
    world.command(id, {
      kind: 'terminate',
      reason: 'enough',
      triggerFailureWorkflow: false,
      byParent: false,
    });
    expect([world.status(childId), world.reason(childId)]).toEqual([
      'TERMINATED',
      'Parent workflow has been terminated with reason: enough',
    ]);
    expect([world.task(id, 'sub').status, world.task(id, 'sub').reason]).toEqual([
      'CANCELED',
      undefined,
    ]);
  });

  it('is started again by a retry of its task', () => {
    const { world, id, childId } = started(
      { retryCount: 1 },
      [],
      [{ name: 'sub', retryDelaySeconds: 2 }],
    );
    world.report(childId, 'c', 'FAILED');
    expect(world.list(id)).toEqual([
      '1 sub SUB_WORKFLOW FAILED retried',
      '2 sub SUB_WORKFLOW SCHEDULED #1',
    ]);
    world.pass(2000);
    const second = world.child(id, 'sub');
    expect(second).not.toBe(childId);
    world.work('c');
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('lets its parent go on when it is optional', () => {
    const { world, id, childId } = started({ optional: true }, [simple('next')]);
    world.report(childId, 'c', 'FAILED');
    expect(world.list(id)).toEqual([
      '1 sub SUB_WORKFLOW COMPLETED_WITH_ERRORS',
      '2 next next SCHEDULED',
    ]);
  });

  it('is ended when its task was cancelled before the start was answered', () => {
    const world = new World({ workflowDefs: [child] });
    const waiting = world.deliverMessages.bind(world);
    world.deliverMessages = () => undefined;
    const id = world.start(workflow([sub()]));
    world.command(id, { kind: 'terminate', triggerFailureWorkflow: false, byParent: false });
    waiting();
    expect(world.status(world.child(id, 'sub'))).toBe('TERMINATED');
  });

  it('may be nested to a named depth', () => {
    const self = workflow(
      [taskOf('SUB_WORKFLOW', 'sub', { subWorkflowParam: { name: 'self', version: 1 } })],
      { name: 'self' },
    );
    const world = new World({ workflowDefs: [self], limits: { childDepthMax: 3 } });
    const id = world.start(self);
    expect(world.opens.size).toBe(4);
    expect([...world.opens.keys()].map((each) => world.status(each))).toEqual(
      Array(4).fill('FAILED'),
    );
    expect(world.reason(id)).toContain('childDepthMax');
  });

  it('has an id derived from the attempt', () => {
    const ids = [0, 1].map(() => started().childId);
    expect(ids[0]).toBe(ids[1]);
  });

  it('of an older run does not reach the new one', () => {
    const { world, id } = started();
    world.command(id, {
      kind: 'child-ended',
      taskNumber: 1,
      childId: id,
      status: 'COMPLETED',
      output: world.open(id).execution.output,
      nameVersionId: 'x',
    });
    expect(world.task(id, 'sub').status).toBe('IN_PROGRESS');
  });
});

describe('START_WORKFLOW', () => {
  it('completes with the id of what it started', () => {
    const world = new World({ workflowDefs: [child] });
    const task = taskOf('START_WORKFLOW', 's', {
      inputParameters: { startWorkflow: { name: 'child', version: 1, input: { k: 5 } } },
    });
    const id = world.start(workflow([task]));
    expect(world.status(id)).toBe('COMPLETED');
    const startedId = world.outputOf(id, 's')['workflowId'] as never;
    expect(world.open(startedId).execution.input.value).toEqual({ k: 5 });
    expect(world.open(startedId).execution.attributes.parentWorkflowId).toBeUndefined();
  });

  it.each([
    [{}, "Missing 'startWorkflow'"],
    [{ startWorkflow: { name: 'nope' } }, 'No such workflow defined'],
    [{ startWorkflow: 'text' }, 'startWorkflow'],
  ])('fails with %o', (inputParameters, reason) => {
    const world = new World();
    const id = world.start(workflow([taskOf('START_WORKFLOW', 's', { inputParameters })]));
    expect(world.task(id, 's').status).toBe('FAILED');
    expect(world.task(id, 's').reason).toContain(reason);
  });
});
