// Measures the search for human tasks over many open ones: the index alone, on a Redis of its own.
//
//   node bin/tool.mjs bench/human-tasks --tasks 1000000
import type { HumanTaskEntry } from '../src/model/human/human-entry.js';
import { localAdministrator } from '../src/model/caller.js';
import { parseHumanSearch } from '../src/model/human/human-search.js';
import { createHumanTaskTexts } from '../src/operation/human/human-texts.js';
import { searchHumanTasks } from '../src/operation/human/search-human-tasks.js';
import { RedisClient } from '../src/redis/client.js';
import { RedisHumanTaskStore } from '../src/redis/human-task-store.js';
import { humanTaskFeed } from '../src/redis/search-feed.js';
import { systemClock } from '../src/std/clock.js';
import { startRedis } from '../test/support/redis.js';

const args = process.argv.slice(2);
const at = args.indexOf('--tasks');
const count = at < 0 ? 100_000 : Number(args[at + 1]);
const assignees = 1000;
const definitions = 20;

function entryOf(i: number): HumanTaskEntry {
  const user = { userType: 'EXTERNAL_USER', user: `user${i % assignees}` } as const;
  return {
    taskId: `00000000-0000-8000-8000-${i.toString(16).padStart(12, '0')}`,
    state: i % 4 === 0 ? 'IN_PROGRESS' : 'ASSIGNED',
    displayName: 'Check invoice',
    definitionName: `def${i % definitions}`,
    workflowId: `w${i}`,
    workflowName: 'invoice',
    taskRefName: 'check',
    assignee: user,
    ...(i % 4 === 0 ? { claimant: user } : {}),
    humanTaskDef: {},
    input: { amount: i, city: `city${i % 100}` },
    output: {},
    createdBy: '',
    updatedBy: '',
    createdOn: i,
    updatedOn: i,
  };
}

const redis = await startRedis();
const client = new RedisClient({ url: redis.url, prefix: 'bench' });
try {
  await client.connect();
  const store = new RedisHumanTaskStore(client, { lookedAtMax: 20_000 });
  let next = 0;
  const fill = async (): Promise<void> => {
    while (next < count) await store.put(entryOf(next++));
  };
  await Promise.all(Array.from({ length: 200 }, fill));
  const none = { assignees: [], claimants: [], definitionNames: [], fits: undefined };
  const page = { ...none, states: ['ASSIGNED', 'IN_PROGRESS'] as const, start: 0, size: 15 };
  const user = { userType: 'EXTERNAL_USER', user: 'user8' } as const;
  const questions = {
    'by state': page,
    'by assignee': { ...page, assignees: [user] },
    'by claimant': { ...page, claimants: [user] },
    'by definition': { ...page, definitionNames: ['def8'] },
    'by assignee and definition': { ...page, assignees: [user], definitionNames: ['def8'] },
  };
  const texts = createHumanTaskTexts(store, {
    ...{ feed: humanTaskFeed(client), clock: systemClock, bytesMax: 4 * 1024 ** 3 },
    failed: (error) => console.error(error),
  });
  const inWords = (words: object): (() => Promise<{ total: number }>) => {
    const search = parseHumanSearch({ states: ['ASSIGNED', 'IN_PROGRESS'], ...words });
    return () => searchHumanTasks({ store, texts }, localAdministrator, search);
  };
  const asked = {
    ...Object.fromEntries(
      Object.entries(questions).map(([name, question]) => [name, () => store.search(question)]),
    ),
    'by a word': inWords({ fullTextQuery: `"amount":${count - 5}` }),
    'by a word of a hundredth': inWords({ fullTextQuery: 'city7"' }),
    'by a word of all': inWords({ fullTextQuery: 'city' }),
    'by words and definition': inWords({
      fullTextQuery: 'city7 amount',
      definitionNames: ['def7'],
    }),
  };
  for (const [name, ask] of Object.entries(asked)) {
    const times: number[] = [];
    let total = 0;
    for (let i = 0; i < 20; i += 1) {
      const startAt = performance.now();
      ({ total } = await ask());
      times.push(performance.now() - startAt);
    }
    const [first = 0] = times;
    times.sort((a, b) => a - b);
    console.log(
      `${count} tasks, ${name}: ${times[10]?.toFixed(1)} ms p50, first ${first.toFixed(0)} (${total} found)`,
    );
  }
  await texts.stop();
} finally {
  client.disconnect();
  await redis.stop();
}
