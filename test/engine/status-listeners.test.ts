// Status listeners of workflows, tasks and human tasks (semantics 2.14.1 to 2.14.3).
import { describe, expect, it } from 'vitest';
import type { StatusListeners } from '../../src/engine/context.js';
import type { JsonMap } from '../../src/model/json.js';
import { simple, taskOf, workflow, World } from './support/world.js';

/** Everything goes to one sink; definitions that switch tasks off are not asked here. */
const everything: StatusListeners = { isEmpty: false, of: () => [{ sink: 'all' }] };

function told(world: World): string[] {
  return world.published.map(({ payload }) => {
    const ref = payload['referenceTaskName'] ?? payload['taskRefName'];
    return [payload['eventType'], ...(ref === undefined ? [] : [ref])].join(' ');
  });
}

describe('the status of tasks', () => {
  it('is told when they are queued, handed out and ended', () => {
    const world = new World({ listeners: everything });
    const id = world.start(workflow([simple('a')]));
    world.poll('a');
    world.report(id, 'a', 'COMPLETED');
    expect(told(world)).toEqual([
      'WORKFLOW_STARTED',
      'TASK_SCHEDULED a',
      'TASK_IN_PROGRESS a',
      'TASK_COMPLETED a',
      'WORKFLOW_COMPLETED',
      'WORKFLOW_FINALIZED',
    ]);
  });

  it('is told of each attempt, and of what is cancelled', () => {
    const taskDefs = [{ name: 'a', retryCount: 1, retryDelaySeconds: 0 }];
    const world = new World({ listeners: everything, taskDefs });
    const wait = taskOf('WAIT', 'w');
    const fork = taskOf('FORK_JOIN', 'f', { forkTasks: [[simple('a')], [wait]] });
    world.start(workflow([fork, taskOf('JOIN', 'j', { joinOn: ['a', 'w'] })]));
    world.work('a', {}, 'FAILED');
    world.work('a', {}, 'FAILED');
    const ofA = told(world).filter((line) => line.endsWith(' a'));
    const attempt = ['TASK_SCHEDULED a', 'TASK_IN_PROGRESS a', 'TASK_FAILED a'];
    expect(ofA).toEqual([...attempt, ...attempt]);
    expect(told(world)).toContain('TASK_CANCELED w');
  });

  it('of human tasks is told with assignee and claimant', () => {
    const world = new World({ listeners: everything });
    const definition = {
      assignments: [{ assignee: { userType: 'EXTERNAL_USER', user: 'ann' }, slaMinutes: 0 }],
    };
    const inputParameters = { __humanTaskDefinition: definition, secret: 'not told' };
    const id = world.start(workflow([taskOf('HUMAN', 'ask', { inputParameters })]));
    const human = world.published.filter(({ payload }) =>
      String(payload['eventType']).startsWith('HUMAN_TASK'),
    );
    expect(human.map(({ payload }) => payload)).toMatchObject([
      { eventType: 'HUMAN_TASK_ASSIGNED', workflowId: id, assignee: { user: 'ann' } },
    ]);
    expect(JSON.stringify(human)).not.toContain('not told');
  });
});

describe('what is told', () => {
  const first = (world: World): JsonMap => world.published[0]?.payload as JsonMap;

  it('is the summary of the execution, with its masked fields masked', () => {
    const world = new World({ listeners: everything });
    const def = { ...workflow([simple('a')]), maskedFields: ['card'] };
    const id = world.start(def, { card: '4711', n: 1 });
    expect(first(world)).toMatchObject({
      eventType: 'WORKFLOW_STARTED',
      eventTime: world.now,
      workflowId: id,
      status: 'RUNNING',
      input: '{"card":"***","n":1}',
    });
  });

  it('leaves out payloads that are large', () => {
    const world = new World({ listeners: everything });
    world.start(workflow([simple('a')]), { text: 'x'.repeat(70_000) });
    expect(first(world)).toMatchObject({ input: '{}', omitted: ['input'] });
  });
});

describe('the sink of a definition', () => {
  const enabled = {
    ...workflow([simple('a')]),
    workflowStatusListenerEnabled: true,
    workflowStatusListenerSink: 'conductor:own',
  };

  it('is told of the workflow, not of its tasks, also while nobody else listens', () => {
    const world = new World();
    world.start(enabled);
    world.work('a');
    expect(told(world)).toEqual(['WORKFLOW_STARTED', 'WORKFLOW_COMPLETED', 'WORKFLOW_FINALIZED']);
    expect(new Set(world.published.map(({ sink }) => sink))).toEqual(new Set(['conductor:own']));
  });

  it('hears nothing unless the definition switches its listener on', () => {
    const world = new World();
    world.start({ ...enabled, workflowStatusListenerEnabled: false });
    expect(told(world)).toEqual([]);
  });
});
