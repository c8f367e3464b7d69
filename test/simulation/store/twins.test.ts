// Each twin beside its script on a real Redis: the same random calls must give the same replies and
// leave the same keyspace behind.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RedisClient } from '../../../src/redis/client.js';
import { Script } from '../../../src/redis/script.js';
import { startRedis, type RunningRedis } from '../../../testkit/redis.js';
import { filesBelow } from '../../structure/source-tree.js';
import { projectRoot } from '../../../testkit/project.js';
import { createRandom, type Random } from '../../torture/random.js';
import { MemoryRedis, type RedisReply } from './memory-redis.js';
import { pack, type Packed } from './message-pack.js';
import { twins } from './twins/list.js';

const sequences = 12;
const callsPerSequence = 60;

let server: RunningRedis;
let redis: RedisClient;

beforeAll(async () => {
  server = await startRedis();
  redis = new RedisClient({ url: server.url, prefix: 'twins' });
  await redis.connect();
});

afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

const queueKeys = ['state', 'ready', 'hidden', 'leases', 'ends', 'limits'].map(
  (key) => `{q}${key}`,
);
const names = ['narrow', 'slow'];
const limitKeys = names.flatMap((name) => [`{q}slots:${name}`, `{q}rate:${name}`]);
const [stateKey, ready, hidden, leases, ends, waitingLimits] = queueKeys as [string, ...string[]];

interface Call {
  readonly name: string;
  readonly keys: readonly string[];
  readonly args: readonly string[];
}

/** One random call; `offset`: ms that the store's time is moved by. */
function randomCall(random: Random, offset: string): Call {
  const known = random.next() < 0.9 ? names : [];
  const limited = known.length === 0 ? [] : limitKeys;
  const packedNames = pack(known);
  const member = (): string => `m${random.between(1, 8)}`;
  const some = (): string[] => [...new Set([member(), member(), member()])];
  const now = Date.now() + Number(offset);
  const places = (...keys: (string | undefined)[]): string[] => [...(keys as string[]), ...limited];
  const limits = (): Packed => {
    const chance = random.next();
    if (chance < 0.5) return false;
    return chance < 0.75 ? pack(['narrow', 2, 0, 0]) : pack(['slow', 0, 3, 5]);
  };
  switch (random.between(1, 11)) {
    case 6:
      return randomHumanTask(random, member());
    case 11:
      return randomWebhookEvent(random, member());
    case 10: {
      const [from, again] = [random.between(1, 50), random.between(51, 99)].map(String);
      const args = ['w', from as string, again as string, String(random.between(1, 3))];
      return { name: 'claim-deliveries', keys: [dueKey, webhooksKey], args };
    }
    case 9:
      return randomRoomCall(random, member());
    case 1: {
      const pushes = some().map((one) => [
        ...[one, random.between(1, 100)],
        random.next() < 0.3 ? now + random.between(100, 3000) : 0,
        ...[limits(), random.next() < 0.3 ? 1 : 0],
      ]);
      return {
        name: 'push',
        keys: places(...queueKeys),
        args: [offset, pack(pushes), packedNames],
      };
    }
    case 2: {
      const count = String(random.between(1, 4));
      return {
        name: 'pop',
        keys: places(...queueKeys),
        args: [offset, count, '1500', packedNames],
      };
    }
    case 3: {
      const confirmed = some().map((one) => [one, 0, now + random.between(500, 4000), 'w', now, 1]);
      const keys = places(leases, ends);
      return { name: 'confirm', keys, args: [offset, pack(confirmed), packedNames] };
    }
    case 4: {
      const keys = places(ready, hidden, leases, ends, waitingLimits);
      return { name: 'finish', keys, args: [pack(some()), packedNames] };
    }
    case 5: {
      const keys = places(stateKey, ready, leases, ends, waitingLimits);
      return { name: 'give-back', keys, args: [offset, pack([]), '10', packedNames, '5000'] };
    }
    case 7:
      return randomAdvance(random, member);
    default:
      return randomCommit(random, offset, member);
  }
}

/** A message about a place, sometimes one that comes late. */
function randomRoomCall(random: Random, id: string): Call {
  const operations = ['take', 'take', 'force', 'leave', 'told'];
  const operation = operations[random.between(0, operations.length - 1)] as string;
  const numbers = [random.between(1, 5), random.between(1, 9), random.between(1, 3)].map(String);
  return {
    name: 'room',
    keys: [...roomKeys, `{q}left:${id}`],
    args: [operation, id, ...numbers, '600000', '100'],
  };
}

/** A call of a webhook, sometimes with a signature that was used. */
function randomWebhookEvent(random: Random, id: string): Call {
  const isSigned = random.next() < 0.5;
  const keys = [eventsKey, dueKey, isSigned ? `{q}used:m${random.between(1, 8)}` : eventsKey];
  const [dueAt, event] = [random.between(1, 99), random.between(1, 9)].map(String);
  const args = [id, dueAt as string, `event ${event}`, isSigned ? '600000' : '0'];
  return { name: 'add-webhook-event', keys, args };
}

/** A new or removed entry of a human task, sometimes by a writer who has read another one. */
function randomHumanTask(random: Random, id: string): Call {
  const entry = (): string => `entry ${random.between(0, 2)}`.replace('entry 0', '');
  const [left, joined] = random.next() < 0.5 ? facetKeys : [...facetKeys].reverse();
  const isRemoved = random.next() < 0.2;
  const keys = [...humanKeys, left as string, ...(isRemoved ? [] : [joined as string])];
  const at = String(random.between(1, 99));
  const dueAt = String(random.between(0, 2));
  const rest = [
    at,
    String(random.between(0, 1)),
    `name ${random.between(1, 5)}`,
    '3',
    '600000',
    dueAt,
  ];
  const args = [id, entry(), isRemoved ? '' : `entry ${random.between(1, 2)}`, '["set"]', '1'];
  return { name: 'put-human-task', keys, args: [...args, ...rest] };
}

/** Steps of a schedule, sometimes by a former leader. */
function randomAdvance(random: Random, member: () => string): Call {
  const runs = Array.from({ length: random.between(0, 2) }, () => [
    ...[member(), random.between(1, 9), `run ${random.between(1, 9)}`],
  ]);
  const moments = [random.between(1, 9), random.between(1, 9)].join();
  const from = random.between(1, 2);
  const cursor = `1{"activeFrom":${from},"handledUntil":[${moments}]}`;
  const advances = [['second', random.next() < 0.9 ? cursor : 'no cursor', runs]];
  const args = [String(random.between(1, 3)), '3', '600000', pack(advances)];
  return { name: 'advance-schedules', keys: scheduleKeys, args };
}

/** A commit with moves and grants, sometimes by a stale owner or on a stale head. */
function randomCommit(random: Random, offset: string, member: () => string): Call {
  const keys = ['{q}owners', '{q}execution', '{q}all', ...queueKeys.slice(0, 5), listKey];
  const now = Date.now() + Number(offset);
  const head = `h${random.between(1, 3)}`;
  const next = `h${random.between(1, 3)}`;
  const fence = random.next() < 0.8 ? '1:a' : '2:b';
  const minute = Math.floor(now / 60_000) - (random.next() < 0.8 ? 0 : 3);
  const note = [9, minute, 60_000, [member(), member()]];
  const checks = [[[1, ['0', 'w'], [fence], note]], [2, 1, head, next, 0], [], [], []];
  const commands = [
    ['HSET', 2, 'h', next],
    ['ZADD', 3, '7', 'x'],
    ...(random.next() < 0.3 ? [['HSET', 1, 'w', `${now + random.between(-50, 200)} token`]] : []),
  ];
  const added = [random.between(1, 100), member()];
  const fresh = [random.between(1, 100), `f${random.between(1, 1_000_000)}`];
  const moves = [[4, 5, 6, 7, 8, [member()], added, fresh]];
  const end = now + 2000;
  // Nine fields, of which the script appends the last.
  const lease = `\x99${pack([1, 77, 1, false, 'w', 5, 1, end]).slice(1)}`;
  const grants = [[5, 7, 8, [member()], [lease], [end]]];
  const args = [offset, pack(checks), pack(commands), pack(moves), pack(grants)];
  return { name: 'commit', keys, args };
}

function toText(reply: unknown): RedisReply {
  if (Array.isArray(reply)) return reply.map(toText);
  return Buffer.isBuffer(reply) ? reply.toString('latin1') : (reply as RedisReply);
}

const scheduleKeys = ['{q}fence', '{q}cursors', '{q}runs', '{q}order', '{q}own'];
const roomKeys = ['taken', 'waiting', 'untold', 'asked', 'limit'].map((key) => `{q}${key}`);
const [taken, waiting, untold, asked, limit] = roomKeys as [string, ...string[]];
const setKeys = [taken, untold];
const ofMembers = Array.from({ length: 8 }, (_, i) => [`{q}left:m${i + 1}`, `{q}used:m${i + 1}`]);
const textKeys = [limit, ...ofMembers.flat()];
const [eventsKey, dueKey, webhooksKey] = ['{q}events', '{q}due', '{q}webhooks'];
const humanKeys = ['entries', 'sets', 'ended', 'names', 'changed', 'due'].map((key) => `{q}${key}`);
const [entriesKey, setsKey, endedKey, namesKey, , dueTasksKey] = humanKeys as [string, ...string[]];
const facetKeys = ['{q}by:one', '{q}by:other'];
const hashKeys = [
  ...[entriesKey, setsKey],
  ...[asked, eventsKey],
  '{q}cursors',
  '{q}runs',
  '{q}owners',
  '{q}execution',
  stateKey,
  leases,
  waitingLimits,
];
const listKey = '{q}changed';
const sortedSetKeys = [
  ...[waiting, '{q}order', '{q}own', '{q}all', ready, hidden, ends, ...limitKeys],
  ...[dueKey, webhooksKey, endedKey, namesKey, dueTasksKey, ...facetKeys],
];

async function contents(
  call: (name: string, ...args: (string | number)[]) => Promise<unknown>,
): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  const read = async (...args: [string, ...(string | number)[]]): Promise<string[]> =>
    toText(await call(...args)) as string[];
  for (const key of hashKeys as string[]) {
    const list = await read('HGETALL', key);
    found[key] = Object.fromEntries(
      list.flatMap((field, i) => (i % 2 ? [] : [[field, list[i + 1]]])),
    );
  }
  for (const key of sortedSetKeys as string[]) {
    found[key] = await read('ZRANGE', key, 0, -1, 'WITHSCORES');
  }
  for (const key of setKeys as string[]) found[key] = (await read('SMEMBERS', key)).sort();
  for (const key of textKeys as string[]) found[key] = toText(await call('GET', key));
  found[listKey] = await read('LRANGE', listKey, 0, -1);
  return found;
}

// After each of 720 calls both keyspaces are read: a busy machine needs its time for that.
it('does what its script does', { timeout: 240_000 }, async () => {
  const seed = Date.now() % 1_000_000;
  const random = createRandom(seed);
  for (let sequence = 0; sequence < sequences; sequence++) {
    await redis.reads.call('FLUSHALL');
    let now = 1_800_000_000_000 + sequence * 10_000_000;
    const memory = new MemoryRedis({ now: () => now });
    await redis.reads.call('HSET', '{q}owners', '0', '1:a');
    await redis.reads.call('HSET', '{q}execution', 'h', 'h1');
    memory.call('HSET', '{q}owners', '0', '1:a');
    memory.call('HSET', '{q}execution', 'h', 'h1');
    await redis.reads.call('SET', '{q}fence', '2');
    memory.call('SET', '{q}fence', '2');
    for (let i = 0; i < callsPerSequence; i++) {
      // Less in all than the shortest life of a key, which ends by the real clock.
      const target = now + random.between(0, 80);
      const call = await atMoment(target, (offset) => randomCall(random, offset));
      now = target;
      const twin = twins.get(call.name);
      const expected = await fixedTime(call, target);
      const actual = twin?.(memory, call.keys, withOffset(call, '0'));
      const where = `seed ${seed}, sequence ${sequence}, call ${i} ${call.name}`;
      expect(inOrder(call, actual), where).toEqual(inOrder(call, toText(expected)));
      const [inMemory, inRedis] = [
        await contents((name, ...args) => Promise.resolve(memory.call(name, ...args))),
        await contents((name, ...args) => redis.reads.callBuffer(name, ...args)),
      ];
      expect(inMemory, where).toEqual(inRedis);
    }
  }
});

/** Members of a set come in any order. */
function inOrder({ name }: Call, reply: RedisReply | undefined): unknown {
  if (name !== 'room') return reply;
  const [has, ids] = reply as [number, string[]];
  return [has, [...ids].sort()];
}

function atMoment(target: number, make: (offset: string) => Call): Promise<Call> {
  return Promise.resolve(make(String(target - Date.now())));
}

/** Scripts that are not told the offset of test time. */
const timeless = new Set([
  ...['finish', 'advance-schedules', 'room', 'add-webhook-event', 'claim-deliveries'],
  'put-human-task',
]);

function withOffset(call: Call, offset: string): readonly string[] {
  return timeless.has(call.name) ? call.args : [offset, ...call.args.slice(1)];
}

/** Of the kernel's scripts or an area's. */
function folderOf(name: string): URL {
  const found = filesBelow('src', ['.lua']).find((file) => path.basename(file) === `${name}.lua`);
  return pathToFileURL(path.join(projectRoot, path.dirname(found ?? ''), '/'));
}

/** The script with a clock that stands at `target`. */
async function fixedTime({ name, keys, args }: Call, target: number): Promise<unknown> {
  const { source } = Script.named(name, folderOf(name));
  const script = new Script(
    name,
    source.replace(
      "local time = call('TIME')",
      `local time = { ${Math.floor(target / 1000)}, ${(target % 1000) * 1000} }`,
    ),
  );
  const call = { name, keys, args };
  const bytes = withOffset(call, '0').map((arg) => Buffer.from(arg, 'latin1'));
  return await redis.queues.run(script, keys, bytes);
}
