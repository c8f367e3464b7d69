// The index of human tasks in Redis: pages anywhere in a long list, and what the overview reads of
// it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HumanUser } from '../../src/model/human/human-definition.js';
import type { HumanTaskEntry } from '../../src/model/human/human-entry.js';
import { localAdministrator } from '../../src/model/caller.js';
import type { Attention } from '../../src/areas/statistics/attention.js';
import { longestHumanWait, overdueHumanTasks } from '../../src/areas/statistics/waits.js';
import { RedisHumanTaskStore } from '../../src/redis/human-task-store.js';
import { startStore, storeKinds, type TestStore } from '../../testkit/samples.js';

const count = 1500;
const states = ['ASSIGNED', 'IN_PROGRESS'] as const;

function entryOf(i: number): HumanTaskEntry {
  return {
    ...{
      taskId: `task-${String(i).padStart(5, '0')}`,
      state: i % 3 === 0 ? 'IN_PROGRESS' : 'ASSIGNED',
    },
    ...{ displayName: 'Check', definitionName: i % 2 === 0 ? 'even' : 'odd' },
    ...{ workflowId: 'w', workflowName: 'n', taskRefName: 'r' },
    humanTaskDef: {
      ...{ displayName: 'Check', assignments: [], taskTriggers: [] },
      assignmentCompletionStrategy: 'LEAVE_OPEN',
    },
    ...{ input: { i }, output: {}, createdBy: '', updatedBy: '', createdOn: 1 },
    // Many change at one time.
    updatedOn: 1_700_000_000_000 + Math.floor(i / 50) * 1000,
  };
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

  it('finds what concerns a person behind any number of tasks of others', async () => {
    const ann: HumanUser = { userType: 'CONDUCTOR_USER', user: 'ann' };
    const team: HumanUser = { userType: 'CONDUCTOR_GROUP', user: 'team' };
    const others: HumanUser = { userType: 'CONDUCTOR_USER', user: 'others' };
    const given = [
      { ...entryOf(0), taskId: 'of-ann', assignee: ann, claimant: ann },
      { ...entryOf(0), taskId: 'of-team', assignee: team },
      ...Array.from({ length: 1200 }, (_, i) => ({ ...entryOf(i + 1), assignee: others })),
    ].map((entry) => ({ ...entry, workflowId: 'theirs' }));
    const own = new RedisHumanTaskStore(test.redis, { lookedAtMax: 100 });
    const before = Array.from({ length: 1200 }, (_, i) => entryOf(i + 1));
    await Promise.all(given.map((entry) => store.put(entry)));
    const query = { states, assignees: [], claimants: [], definitionNames: [], start: 0, size: 5 };
    const isHers = ({ assignee }: HumanTaskEntry): boolean =>
      assignee?.user === 'ann' || assignee?.user === 'team';
    // Nobody is assigned the others.
    const unassigned = await own.search({ ...query, fits: undefined, involved: [] });
    expect(unassigned.total).toBe(count - 1200);
    const inbox = await new RedisHumanTaskStore(test.redis, { lookedAtMax: 400 }).search({
      ...{ ...query, fits: isHers, involved: [ann, team] },
    });
    expect(inbox.total).toBe(2);
    expect(inbox.entries.map(({ taskId }) => taskId).sort()).toEqual(['of-ann', 'of-team']);
    await Promise.all(['of-ann', 'of-team'].map((id) => store.remove(id)));
    await Promise.all(before.map((entry) => store.put(entry)));
  });

  it('finds what is due first behind any number of newer tasks', async () => {
    const due = { ...entryOf(3), taskId: 'due', dueTime: 1_700_000_000_000 };
    const later = { ...entryOf(4), taskId: 'later', dueTime: 1_700_000_500_000 };
    await Promise.all([store.put(due), store.put(later)]);
    const own = new RedisHumanTaskStore(test.redis, { lookedAtMax: 100 });
    const query = { states, assignees: [], claimants: [], definitionNames: [], start: 0, size: 4 };
    const page = await own.search({ ...query, fits: undefined, order: 'due-first' });
    const ids = page.entries.map(({ taskId }) => taskId);
    expect(page.total).toBe(count + 2);
    expect(ids.slice(0, 2)).toEqual(['due', 'later']);
    // Then what has not changed for longest.
    expect(ids.slice(2).every((id) => id < 'task-00050')).toBe(true);
    // A hundred others that are due before do not hide what is due among these.
    const even = { ...query, definitionNames: ['even'], fits: () => true };
    const odds = Array.from({ length: 100 }, (_, i) => ({
      ...{ ...entryOf(1), taskId: `odd-${i}`, dueTime: 1_600_000_000_000 + i },
    }));
    await Promise.all(odds.map((entry) => store.put(entry)));
    const evens = await own.search({ ...even, order: 'due-first' });
    expect(evens.entries[0]?.taskId).toBe('later');
    expect(evens.total).toBe(100);
    await Promise.all(odds.map(({ taskId }) => store.remove(taskId)));
    await Promise.all(['due', 'later'].map((id) => store.remove(id)));
  });

  it('tells which open tasks are past due, to who may see all', async () => {
    const dueTime = 1_700_000_000_000;
    const overdueAt = (at: number): Promise<Attention[]> =>
      overdueHumanTasks(store, localAdministrator, at);
    const taskIds = ['first', 'second'];
    try {
      for (const [i, taskId] of taskIds.entries()) {
        const due = { taskId, displayName: `Due ${taskId}`, dueTime: dueTime + i * 60_000 };
        await store.put({ ...entryOf(0), ...due });
      }
      expect(await overdueAt(dueTime)).toEqual([]);
      expect(await overdueAt(dueTime + 60_000)).toEqual([
        {
          kind: 'human-due',
          count: 1,
          sentence: 'Task for a person past due: Due first for 1 min',
          since: dueTime,
        },
      ]);
      expect(await overdueAt(dueTime + 7_200_000)).toEqual([
        {
          ...{ kind: 'human-due', count: 2, since: dueTime },
          sentence: 'Tasks for people past due, Due first for 2 h',
        },
      ]);
      const other = { kind: 'user', id: 'ann', roles: ['USER'], groups: [] } as const;
      expect(await overdueHumanTasks(store, other, Infinity)).toEqual([]);
      await store.put({ ...entryOf(0), taskId: 'first', state: 'COMPLETED' });
      expect(await store.dueBefore(Infinity)).toMatchObject({
        ...{ count: 1, first: { taskId: 'second' } },
      });
    } finally {
      for (const taskId of taskIds) await store.remove(taskId);
    }
    expect(await store.dueBefore(Infinity)).toEqual({ count: 0, first: undefined });
  });

  it('keeps a task in the sets of its entry alone, whoever writes it at the same time', async () => {
    const users = ['ann', 'bob', 'cid'].map((user): HumanUser => ({
      userType: 'EXTERNAL_USER',
      user,
    }));
    const writers = [store, new RedisHumanTaskStore(test.redis, { lookedAtMax: 1000 })];
    const taskId = 'contested';
    const query = { states: [], claimants: [], definitionNames: [], fits: undefined };
    const writes = Array.from({ length: 30 }, (_, i): HumanTaskEntry => {
      const assignee = users[i % users.length] as HumanUser;
      return { ...entryOf(i), taskId, assignee, updatedOn: 1_800_000_000_000 + i };
    });
    try {
      await Promise.all(writes.slice(0, 6).map((entry, i) => writers[i % 2]?.put(entry)));
      for (const entry of writes.slice(6)) {
        await Promise.all(writers.map((writer) => writer.put(entry)));
        const foundBy = await Promise.all(
          users.map(async (user) => {
            const page = await store.search({ ...query, assignees: [user], start: 0, size: 1 });
            return page.total;
          }),
        );
        expect(foundBy).toEqual(users.map((user) => (user === entry.assignee ? 1 : 0)));
      }
    } finally {
      await store.remove(taskId);
    }
    const left = await store.search({ ...query, assignees: users, start: 0, size: 1 });
    expect(left.total).toBe(0);
  });

  it('tells which open task nobody has touched for longest, to who may see all', async () => {
    const dayMs = 86_400_000;
    const { updatedOn } = entryOf(0);
    const ended: HumanTaskEntry = { ...entryOf(0), taskId: 'ended', state: 'COMPLETED' };
    await store.put({ ...ended, updatedOn: updatedOn - dayMs });
    await store.put({ ...entryOf(0), taskId: 'old', displayName: 'Old', updatedOn: updatedOn - 1 });
    try {
      const at = updatedOn + 3 * dayMs;
      expect(await longestHumanWait(store, localAdministrator, at)).toEqual([
        {
          ...{ kind: 'human', count: count + 1, taskId: 'old', since: updatedOn - 1 },
          sentence: 'Tasks for people: nobody has touched Old for 3 days',
        },
      ]);
      const soon = updatedOn - 1 + dayMs - 1;
      expect(await longestHumanWait(store, localAdministrator, soon)).toEqual([]);
      expect(await longestHumanWait(store, localAdministrator, soon + 1)).toHaveLength(1);
      const other = { kind: 'user', id: 'ann', roles: ['USER'], groups: [] } as const;
      expect(await longestHumanWait(store, other, at)).toEqual([]);
    } finally {
      for (const taskId of ['ended', 'old']) await store.remove(taskId);
    }
    const before = updatedOn - 10 * dayMs;
    expect(await longestHumanWait(store, localAdministrator, before)).toEqual([]);
  });
});
