// The index of human tasks in Redis: pages anywhere in a long list.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HumanTaskEntry } from '../../src/model/human/human-entry.js';
import { RedisHumanTaskStore } from '../../src/redis/human-task-store.js';
import { startStore, storeKinds, type TestStore } from './samples.js';

const count = 1500;
const states = ['ASSIGNED', 'IN_PROGRESS'] as const;

function entryOf(i: number): HumanTaskEntry {
  return {
    ...{ taskId: `task-${String(i).padStart(5, '0')}`, state: states[i % 3 === 0 ? 1 : 0] },
    ...{ displayName: 'Check', definitionName: i % 2 === 0 ? 'even' : 'odd' },
    ...{ workflowId: 'w', workflowName: 'n', taskRefName: 'r', humanTaskDef: {} },
    ...{ input: { i }, output: {}, createdBy: '', updatedBy: '', createdOn: 1 },
    // Many change at one time.
    updatedOn: 1_700_000_000_000 + Math.floor(i / 50) * 1000,
  } as HumanTaskEntry;
}

describe.each(storeKinds)('on %s', (kind) => {
  let test: TestStore;
  let store: RedisHumanTaskStore;

  beforeAll(async () => {
    test = await startStore(kind, { partitions: 2 });
    store = new RedisHumanTaskStore(test.redis, { lookedAtMax: 1000 });
    const entries = Array.from({ length: count }, (_, i) => entryOf(i));
    while (entries.length > 0) {
      await Promise.all(entries.splice(0, 100).map((entry) => store.put(entry)));
    }
  });
  afterAll(async () => test.stop());

  it.each([0, 14, 499, 501, 700, 1000, 1400, 1490, 1500, 9_000_000])(
    'gives the page behind %i tasks, newest change first, with the total',
    async (start) => {
      const none = { assignees: [], claimants: [], definitionNames: [], fits: undefined };
      const page = await store.search({ ...none, states, start, size: 15 });
      const newest = Array.from({ length: count }, (_, i) => entryOf(count - 1 - i));
      expect(page.total).toBe(count);
      expect(page.entries.map(({ taskId }) => taskId)).toEqual(
        newest.slice(start, start + 15).map(({ taskId }) => taskId),
      );
      const odd = { ...none, definitionNames: ['odd'], states, start, size: 15 };
      const { entries, total } = await store.search(odd);
      expect(total).toBe(count / 2);
      expect(entries.map(({ taskId }) => taskId)).toEqual(
        newest
          .filter(({ definitionName }) => definitionName === 'odd')
          .slice(start, start + 15)
          .map(({ taskId }) => taskId),
      );
    },
  );
});
