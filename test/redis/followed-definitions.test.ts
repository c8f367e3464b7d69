// A node that follows the definitions of others by the names that have changed knows the same as
// one that reads them all.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WorkflowDef } from '../../src/model/workflow-def.js';
import { DefinitionTable } from '../../src/operation/definitions/definition-table.js';
import { Definitions } from '../../src/operation/definitions/definitions.js';
import { RedisDefinitionStore } from '../../src/redis/definition-store.js';
import type { LoadedDefinitions } from '../../src/store/definition-store.js';
import {
  sampleSnapshot,
  sampleTaskDef,
  startStore,
  storeKinds,
  type TestStore,
} from '../../testkit/samples.js';
import { createRandom, type Random } from '../torture/random.js';

/** Counts how often everything was read. */
class CountingStore extends RedisDefinitionStore {
  loads = 0;

  override async loadAll(): Promise<LoadedDefinitions> {
    this.loads += 1;
    return await this.all();
  }

  /** Without being counted. */
  all(): Promise<LoadedDefinitions> {
    return super.loadAll();
  }
}

/** Names that encoding changes, and one that a digest stands for. */
const names = ['plain', 'with:colon 1', 'ü{x}', 'l'.repeat(300)];
const steps = 200;

function pick<T>(random: Random, all: readonly T[]): T {
  return all[random.between(0, all.length - 1)] as T;
}

describe.each(storeKinds)('definitions of other nodes on %s', (kind) => {
  let test: TestStore;
  const nodes: Definitions[] = [];
  beforeAll(async () => void (test = await startStore(kind)));
  afterAll(async () => {
    for (const node of nodes) await node.stop();
    await test.stop();
  });

  async function open(): Promise<{ node: Definitions; store: CountingStore }> {
    const store = new CountingStore(test.redis);
    const failed = (error: unknown): never => {
      throw error;
    };
    const node = new Definitions({ store, shownInput: () => undefined, onLookFailed: failed });
    await node.start();
    nodes.push(node);
    return { node, store };
  }

  function version(name: string, number: number, step: number): WorkflowDef {
    return { ...sampleSnapshot(name, ['a']).def, version: number, description: `step ${step}` };
  }

  /** All that a node, or the store, knows. */
  function known(table: DefinitionTable): unknown {
    const workflows = table
      .names()
      .sort()
      .map((name) => [table.ownerOf(name), table.registrationOf(name), table.versions(name)]);
    const tasks = table.taskDefs().sort((a, b) => (a.name < b.name ? -1 : 1));
    return { workflows, tasks };
  }

  async function change(node: Definitions, random: Random, step: number): Promise<void> {
    const name = pick(random, names);
    const number = random.between(1, 3);
    const begun = { id: `r${step}`, at: step, by: `by${step}` };
    await pick(random, [
      () => node.putWorkflow(version(name, number, step), false, begun),
      () => node.deleteWorkflow(name, number),
      () => node.putTasks([{ ...sampleTaskDef(name), retryCount: step }]),
      () => node.deleteTask(name),
    ])();
  }

  it('are known as they are stored after any changes, and not all read again', async () => {
    const [one, other, follower] = [await open(), await open(), await open()];
    const random = createRandom(1);
    for (let step = 1; step <= steps; step++) {
      await change(pick(random, [one.node, other.node]), random, step);
      if (step % 7 !== 0) continue;
      await follower.node.refresh();
      const stored = new DefinitionTable(await follower.store.all());
      expect(known(follower.node.table)).toEqual(known(stored));
    }
    expect([one.store.loads, other.store.loads, follower.store.loads]).toEqual([1, 1, 1]);
  });

  it('are all read where a change does not tell its fields, or there were too many', async () => {
    const { node, store } = await open();
    const writer = new RedisDefinitionStore(test.redis);
    const none = (): number[] => [];
    const since = await writer.revision();
    expect(await writer.changes(since, none)).toMatchObject({ revision: since, workflows: [] });
    await test.redis.reads.call('INCR', test.redis.keys.definitionRevision());
    await writer.putTasks([sampleTaskDef('after')]);
    expect(await writer.changes(since, none)).toBeUndefined();
    expect(await writer.changes(since + 1, none)).toMatchObject({ revision: since + 2 });
    await node.refresh();
    expect(store.loads).toBe(2);
    expect(node.taskDef('after')).toBeDefined();
  });
});
