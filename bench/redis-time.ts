// Measures how long commands hold a Redis. Its slow log counts the time of the clock, so a command
// that waits for a core looks long. The same question is therefore asked several times, and the
// least of the longest commands is what the question costs when Redis has its core. The processor
// time of its main thread says the same as a sum.
import fs from 'node:fs';
import type { RedisClient } from '../src/redis/client.js';
import { Script } from '../src/redis/script.js';

/** Commands from here on are looked at, us. */
const noticedUs = 100;
const scriptNames = new Map(
  fs
    .readdirSync(new URL('../src/redis/scripts/', import.meta.url))
    .filter((file) => file.endsWith('.lua'))
    .map((file) => Script.named(file.replace('.lua', '')))
    .map((script) => [script.sha, script.name]),
);

/** Makes Redis note what takes 0.1 ms. */
export async function watchCommands(redis: RedisClient): Promise<void> {
  const settings = ['slowlog-log-slower-than', noticedUs, 'slowlog-max-len', 100_000] as const;
  await redis.reads.call('CONFIG', 'SET', ...settings);
  await redis.reads.call('SLOWLOG', 'RESET');
}

/** The times since the last call (ms, ascending) by kind, a script by its name. */
export async function takeCommands(redis: RedisClient): Promise<Map<string, number[]>> {
  const entries = (await redis.reads.call('SLOWLOG', 'GET', '-1')) as unknown[][];
  await redis.reads.call('SLOWLOG', 'RESET');
  const times = new Map<string, number[]>();
  for (const [, , micros, args] of entries) {
    const name = nameOf(args as string[]);
    if (name === 'SLOWLOG') continue;
    const known = times.get(name);
    if (known === undefined) times.set(name, [Number(micros) / 1000]);
    else known.push(Number(micros) / 1000);
  }
  for (const each of times.values()) each.sort((a, b) => a - b);
  return times;
}

export interface LongestCommand {
  readonly name: string;
  readonly ms: number;
}

export function longestOf(times: ReadonlyMap<string, readonly number[]>): LongestCommand {
  let longest = { name: 'none of 0.1 ms', ms: 0 };
  for (const [name, each] of times) {
    const ms = each.at(-1) ?? 0;
    if (ms > longest.ms) longest = { name, ms };
  }
  return longest;
}

/** Processor time of the main thread so far, ms. */
export function mainThreadMs(pid: number): number {
  const text = fs.readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8');
  return Number(text.split(' ')[0]) / 1_000_000;
}

function nameOf([command = '', sha = '']: readonly string[]): string {
  const name = command.toUpperCase();
  return name === 'EVALSHA' ? (scriptNames.get(sha) ?? 'a script') : name;
}
