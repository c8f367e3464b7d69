// Measures the search for human tasks over many open ones, by HTTP at a server of its own. The
// entries are put into the index by the store itself, under a key prefix of their own in a Redis
// that the server then starts on.
//
//   node bin/tool.mjs bench/human-tasks --tasks 1000000
import fs from 'node:fs';
import { readOptions } from '../bin/lib/options.mjs';
import type { HumanTaskEntry } from '../src/model/human/human-entry.js';
import { RedisClient } from '../src/redis/client.js';
import { RedisHumanTaskStore } from '../src/redis/human-task-store.js';
import { ApiClient } from '../testkit/api-client.js';
import { startRedis } from '../testkit/redis.js';
import { startServer, type RunningServer } from '../testkit/server.js';

const options = readOptions({
  command: 'node bin/tool.mjs bench/human-tasks',
  about: 'Measures the search for human tasks over many open ones.',
  options: {
    tasks: { type: 'integer', default: 100_000, about: 'open human tasks' },
    rounds: { type: 'integer', default: 20, about: 'times that each question is asked' },
  },
});
const count = options.tasks;
const rounds = options.rounds;
const assignees = 1000;
const definitions = 20;
const prefix = 'bench';

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
    humanTaskDef: {
      displayName: '',
      assignments: [],
      assignmentCompletionStrategy: 'LEAVE_OPEN',
      taskTriggers: [],
    },
    input: { amount: i, city: `city${i % 100}` },
    output: {},
    createdBy: '',
    updatedBy: '',
    createdOn: i,
    updatedOn: Date.now() - count + i,
  };
}

async function load(url: string): Promise<void> {
  const client = new RedisClient({ url, prefix });
  await client.connect();
  try {
    const store = new RedisHumanTaskStore(client, { lookedAtMax: 20_000 });
    let next = 0;
    const fill = async (): Promise<void> => {
      while (next < count) await store.put(entryOf(next++));
    };
    await Promise.all(Array.from({ length: 200 }, fill));
  } finally {
    client.disconnect();
  }
}

/** Milliseconds of processor time that a process has used. */
function cpuMs(pid: number | undefined): number {
  if (pid === undefined) return 0;
  const fields = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

const user = { userType: 'EXTERNAL_USER', user: 'user8' };
const questions: { readonly [name: string]: object } = {
  'by state': { states: ['ASSIGNED', 'IN_PROGRESS'] },
  'by assignee': { assignees: [user] },
  'by claimant': { claimants: [user] },
  'by definition': { definitionNames: ['def8'] },
  'by assignee and definition': { assignees: [user], definitionNames: ['def8'] },
  'the page in the middle': { states: ['ASSIGNED', 'IN_PROGRESS'], start: count >> 1 },
  'by a word of one': { fullTextQuery: `"amount":${count - 5}` },
  'by a word of a hundredth': { fullTextQuery: 'city7"' },
  'by a word of all': { fullTextQuery: 'city' },
  'by words and definition': { fullTextQuery: 'city7 amount', definitionNames: ['def7'] },
  'by a word and assignee': { fullTextQuery: 'city8"', assignees: [user] },
};

async function measure(server: RunningServer, redisPid: number | undefined): Promise<void> {
  const api = new ApiClient(server.url, { requestTimeoutMs: 600_000 });
  try {
    for (const [name, question] of Object.entries(questions)) {
      const times: number[] = [];
      const before = { node: 0, redis: 0 };
      let total: unknown;
      // The first one builds the index of words where there is none.
      for (let round = 0; round <= rounds; round += 1) {
        if (round === 1) Object.assign(before, { node: cpuMs(server.pid), redis: cpuMs(redisPid) });
        const askedAt = performance.now();
        const body = { size: 15, ...question };
        const answer = await api.request('POST', '/api/human/tasks/search', body);
        times.push(performance.now() - askedAt);
        if (answer.status !== 200) throw new Error(answer.text);
        total = (answer.body as { totalHits: unknown }).totalHits;
      }
      const [first = 0, ...rest] = times;
      rest.sort((a, b) => a - b);
      const node = (cpuMs(server.pid) - before.node) / rounds;
      const redis = (cpuMs(redisPid) - before.redis) / rounds;
      console.log(
        `${count} tasks, ${name}: ${rest[rounds >> 1]?.toFixed(1)} ms p50, ` +
          `${rest.at(-1)?.toFixed(0)} most, first ${first.toFixed(0)}; processor: node ` +
          `${node.toFixed(1)} ms, Redis ${redis.toFixed(1)} ms (${String(total)} found)`,
      );
    }
  } finally {
    await api.close();
  }
}

const redis = await startRedis();
try {
  const loadedAt = performance.now();
  await load(redis.url);
  console.log(`loaded in ${((performance.now() - loadedAt) / 1000).toFixed(0)} s`);
  const args = ['--redis-prefix', prefix];
  const server = await startServer({ redisUrl: redis.url, args });
  try {
    await measure(server, redis.pid);
  } finally {
    await server.stop();
  }
} finally {
  await redis.stop();
}
