// onStateChange of task configurations (semantics 2.14.4).
import { describe, expect, it } from 'vitest';
import type { JsonMap } from '../../src/model/json.js';
import { simple, taskOf, workflow, World } from './support/world.js';

const event = (type: string, payload: JsonMap = {}): JsonMap => ({ type, payload });

/** `hook sink` of everything that was published, in order. */
function told(world: World): string[] {
  return world.published.map(({ sink, payload }) => `${String(payload['stateChange'])} ${sink}`);
}

const all = {
  'onScheduled, onStart': [event('begins')],
  onSuccess: [event('well'), event('well2')],
  onFailed: [event('badly')],
  onCancelled: [event('not')],
};

describe('the events of a task', () => {
  it('tell of the states that a worker task gets to, each once', () => {
    const world = new World();
    const id = world.start(workflow([simple('a', { onStateChange: all })]));
    expect(told(world)).toEqual(['onScheduled begins']);
    world.poll('a');
    world.poll('a');
    expect(told(world).slice(1)).toEqual(['onStart begins']);
    world.report(id, 'a', 'COMPLETED');
    expect(told(world).slice(2)).toEqual(['onSuccess well', 'onSuccess well2']);
    expect(world.status(id)).toBe('COMPLETED');
  });

  it('tell of each attempt and of how it ended', () => {
    const world = new World({ taskDefs: [{ name: 'a', retryCount: 1, retryDelaySeconds: 0 }] });
    const id = world.start(workflow([simple('a', { onStateChange: all })]));
    world.work('a', {}, 'FAILED');
    world.work('a', {}, 'FAILED');
    const attempt = ['onScheduled begins', 'onStart begins', 'onFailed badly'];
    expect(told(world)).toEqual([...attempt, ...attempt]);
    expect(world.status(id)).toBe('FAILED');
  });

  it('tell of what the engine carries out and of what is cancelled', () => {
    const world = new World();
    const inline = taskOf('INLINE', 'i', {
      inputParameters: { expression: '1' },
      onStateChange: { 'onScheduled,onStart,onSuccess': [event('i')] },
    });
    const wait = taskOf('WAIT', 'w', { onStateChange: { 'onStart,onCancelled': [event('w')] } });
    const id = world.start(workflow([inline, wait]));
    expect(told(world)).toEqual(['onScheduled i', 'onStart i', 'onSuccess i', 'onStart w']);
    const terminate = {
      kind: 'terminate',
      triggerFailureWorkflow: false,
      byParent: false,
    } as const;
    world.command(id, terminate);
    expect(told(world).slice(4)).toEqual(['onCancelled w']);
  });

  it('that reach nobody are in the history, one entry for each sink', () => {
    const world = new World();
    world.refusals.set('nats:none:a', 'No such integration provider: none');
    world.refusals.set('nats:none:b', 'refused');
    const onStateChange = {
      'onScheduled,onStart': [event('nats:none:a'), event('told')],
      onSuccess: [event('nats:none:b')],
    };
    const id = world.start(workflow([simple('a', { onStateChange })]));
    world.work('a', {});
    const byServer = { actor: 'system', actorKind: 'system', action: 'event-refused' };
    expect(world.open(id).execution.history).toEqual([
      {
        ...byServer,
        revision: 1,
        time: world.context.now,
        reason: 'No such integration provider: none',
        changes: { sink: 'nats:none:a', events: 2 },
      },
      {
        ...byServer,
        revision: 2,
        time: world.context.now,
        reason: 'refused',
        changes: { sink: 'nats:none:b', events: 1 },
      },
    ]);
  });

  it('carry the payload as its expressions are at that moment, and what names the task', () => {
    const world = new World();
    const payload = { n: '${a.output.n}', from: '${workflow.input.x}', workflowType: 'mine' };
    const onStateChange = { onSuccess: [event('conductor:q', payload)] };
    const id = world.start(workflow([simple('a', { onStateChange })]), { x: 7 });
    world.work('a', { n: 3 });
    expect(world.published).toHaveLength(1);
    expect(world.published[0]).toMatchObject({
      sink: 'conductor:q',
      payload: {
        n: 3,
        from: 7,
        workflowInstanceId: id,
        workflowType: 'mine',
        referenceTaskName: 'a',
        taskStatus: 'COMPLETED',
        stateChange: 'onSuccess',
      },
    });
  });
});
