// Who is told of a change: sinks of the settings, and webhooks by their filters and the rights of
// their creators.
import { describe, expect, it } from 'vitest';
import type { Caller } from '../../../src/model/caller.js';
import type { ExecutionAttributes, Task } from '../../../src/model/execution.js';
import type { OutgoingWebhook } from '../../../src/areas/outgoing/outgoing-webhook.js';
import { Listeners, type ListenersParts } from '../../../src/areas/outgoing/listeners.js';
import { VirtualClock } from '../../support/virtual-clock.js';
import { parseWorkflowDef } from '../../support/parse-workflow-def.js';

const creator: Caller = { kind: 'user', id: 'c@x.org', roles: ['USER'], groups: [] };

const webhook = (over: Partial<OutgoingWebhook> = {}): OutgoingWebhook => ({
  ...{ id: 'w1', name: 'w', url: 'http://x.org', events: ['WORKFLOW_STARTED', 'TASK_COMPLETED'] },
  ...{ workflowNames: [], workflowTags: [], taskNames: [], active: true, attemptsMax: 1 },
  ...{ retryDelayMs: 100, createdBy: creator.id, createdAt: 0, headerNames: [], sealed: '' },
  ...over,
});

class World {
  readonly clock = new VirtualClock();
  readonly tags = new Map<string, { key: string; value: string }[]>();
  readable = new Set(['flow', 'other']);
  /** Names that have changed hands since the execution started. */
  readonly moved = new Set<string>();
  attributes: Partial<ExecutionAttributes> = {};
  readonly listeners: Listeners;
  #webhooks: OutgoingWebhook[] = [];
  #changed: () => void = () => undefined;

  constructor(webhooks: OutgoingWebhook[], over: Partial<ListenersParts> = {}) {
    this.listeners = new Listeners({
      table: {
        values: () => this.#webhooks.values(),
        onChange: (listener) => {
          this.#changed = () => listener('', undefined);
        },
      },
      access: {
        may: (_caller, _right, { id }) => this.readable.has(id ?? ''),
        isNameHeld: ({ name }) => !this.moved.has(name),
        heldSince: () => 0,
        hasPermission: () => false,
      },
      callerOf: (id) => (id === creator.id ? creator : undefined),
      tagsOf: (name) => this.tags.get(name) ?? [],
      clock: this.clock,
      ...{ workflowSink: '', taskSink: '' },
      ...over,
    });
    this.store(webhooks);
  }

  store(webhooks: OutgoingWebhook[]): void {
    this.#webhooks = webhooks;
    this.#changed();
  }

  /** Ids of webhooks, and sinks, that are told. */
  told(event: Parameters<Listeners['of']>[0], name = 'flow', task?: Partial<Task>): string[] {
    const tasks = [{ name: 't', taskReferenceName: 't', type: 'SIMPLE' }];
    const more = { workflowStatusListenerEnabled: name !== 'silent' };
    const def = parseWorkflowDef({ name, version: 1, tasks, ...more }, 'def');
    const execution = {
      snapshot: { hash: '', def },
      attributes: this.attributes,
      state: { createTime: 0 },
    } as Parameters<Listeners['of']>[1];
    return this.listeners
      .of(event, execution, { config: {}, ...task } as Task)
      .map(({ sink, webhookId }) => webhookId ?? sink);
  }
}

describe('a webhook', () => {
  it('is told of its events only, and of none when it is not active', () => {
    const world = new World([webhook()]);
    expect(world.told('WORKFLOW_STARTED')).toEqual(['w1']);
    expect(world.told('WORKFLOW_COMPLETED')).toEqual([]);
    expect(world.listeners.isEmpty).toBe(false);
    world.store([webhook({ active: false })]);
    expect(world.told('WORKFLOW_STARTED')).toEqual([]);
    expect(world.listeners.isEmpty).toBe(true);
  });

  it('is told of the definitions that it names', () => {
    const world = new World([webhook({ workflowNames: ['other'] })]);
    expect([world.told('WORKFLOW_STARTED'), world.told('WORKFLOW_STARTED', 'other')]).toEqual([
      [],
      ['w1'],
    ]);
  });

  it('is told of the tasks that it names', () => {
    const world = new World([webhook({ taskNames: ['mine'] })]);
    expect(world.told('TASK_COMPLETED', 'flow', { defName: 'mine' })).toEqual(['w1']);
    expect(world.told('TASK_COMPLETED', 'flow', { defName: 'another' })).toEqual([]);
  });

  it('is told of definitions by tag, soon after the tag has changed', () => {
    const world = new World([webhook({ workflowTags: [{ key: 'team', value: 'a' }] })]);
    expect(world.told('WORKFLOW_STARTED')).toEqual([]);
    world.tags.set('flow', [{ key: 'team', value: 'a' }]);
    world.clock.advance(2000);
    expect(world.told('WORKFLOW_STARTED')).toEqual(['w1']);
  });

  it('is told of nothing that began before its creator owned the name, but for its own', () => {
    const world = new World([webhook()]);
    expect(world.told('WORKFLOW_STARTED')).toEqual(['w1']);
    world.moved.add('flow');
    expect(world.told('WORKFLOW_STARTED')).toEqual([]);
    world.attributes = { createdBy: creator.id };
    expect(world.told('WORKFLOW_STARTED')).toEqual(['w1']);
  });

  it('is told of what its creator may read, and of nothing once that one is gone', () => {
    const world = new World([webhook(), webhook({ id: 'w2', createdBy: 'gone@x.org' })]);
    expect(world.told('WORKFLOW_STARTED')).toEqual(['w1']);
    world.readable.clear();
    world.clock.advance(2000);
    expect(world.told('WORKFLOW_STARTED')).toEqual([]);
  });
});

describe('the sinks of the settings', () => {
  it('are told of definitions whose listener is on', () => {
    const world = new World([], { workflowSink: 'conductor:w' });
    expect(world.told('WORKFLOW_STARTED')).toEqual(['conductor:w']);
    expect(world.told('WORKFLOW_STARTED', 'silent')).toEqual([]);
    expect(world.told('TASK_COMPLETED')).toEqual([]);
  });

  it('are told of tasks unless their definition switches that off, but for the hand-out', () => {
    const world = new World([], { taskSink: 'conductor:t' });
    const off = {
      config: { taskDefinition: { taskStatusListenerEnabled: false } },
    } as Partial<Task>;
    expect(world.told('TASK_COMPLETED')).toEqual(['conductor:t']);
    expect(world.told('TASK_COMPLETED', 'flow', off)).toEqual([]);
    expect(world.told('TASK_IN_PROGRESS', 'flow', off)).toEqual(['conductor:t']);
    expect(world.told('HUMAN_TASK_ASSIGNED', 'flow', off)).toEqual([]);
  });
});
