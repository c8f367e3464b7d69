// Measures the search for human tasks over many open ones: the index alone, on a Redis of its own.
//
//   node bin/tool.mjs bench/human-tasks --tasks 1000000
import type { HumanTaskEntry } from '../src/model/human/human-entry.js';
import { RedisClient } from '../src/redis/client.js';
import { RedisHumanTaskStore } from '../src/redis/human-task-store.js';
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
    'by words, newest 20,000': {
      ...page,
      fits: (entry: HumanTaskEntry): boolean => JSON.stringify(entry.input).includes('city7'),
    },
  };
  for (const [name, question] of Object.entries(questions)) {
    const times: number[] = [];
    let total = 0;
    for (let i = 0; i < 20; i += 1) {
      const startAt = performance.now();
      ({ total } = await store.search(question));
      times.push(performance.now() - startAt);
    }
    times.sort((a, b) => a - b);
    console.log(`${count} tasks, ${name}: ${times[10]?.toFixed(1)} ms p50 (${total} found)`);
  }
} finally {
  client.disconnect();
  await redis.stop();
}
