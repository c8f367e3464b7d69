// A Redis that asks for TLS and for a user: who has all of it gets in, with the rights that
// docs/redis.md names and no more; anything missing is said in one sentence.
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSettings } from '../../src/server/config.js';
import { RedisClient } from '../../src/redis/client.js';
import { openStore } from '../../src/redis/open-store.js';
import { probes } from '../../src/redis/rights.js';
import { whyNotStarted } from '../../src/server/start-failure.js';
import { StopStack } from '../../src/server/stop-stack.js';
import { freePort } from '../../testkit/process.js';
import { projectRoot } from '../../testkit/project.js';
import { startRedis } from '../../testkit/redis.js';
import {
  rightsLine,
  startSecuredRedis,
  startSecuredSentinel,
  whyNoSecuredRedis,
  type SecuredRedis,
} from '../support/secured-redis.js';

/** What a node with these arguments says when it cannot use its Redis; '' when it can. */
async function refusal(...args: readonly string[]): Promise<string> {
  const stops = new StopStack((error) => expect.unreachable(String(error)));
  const { signal: stopping } = new AbortController();
  const settings = readSettings(args, {});
  try {
    await openStore(
      settings,
      { url: Promise.resolve(settings.redisUrl) },
      { stops, stopping, answered: () => undefined },
    );
    return '';
  } catch (error) {
    return whyNotStarted(error, settings) ?? `not known: ${String(error)}`;
  } finally {
    await stops.stop();
  }
}

const missing = whyNoSecuredRedis();

describe.skipIf(missing !== undefined)(`a Redis with TLS and users${missing ?? ''}`, () => {
  let redis: SecuredRedis;
  const ca = (): string => `--redis-tls-ca-file=${redis.authority.certFile}`;
  const urlOf = (credentials: string, port = redis.tlsPort): string =>
    `--redis-url=rediss://${credentials}127.0.0.1:${port}`;

  beforeAll(async () => {
    redis = await startSecuredRedis();
    redis.ask(...rightsLine('downbeat', 'right'));
  });
  afterAll(() => redis.stop());

  it('takes a node with its authority, its password and the rights of docs/redis.md', async () => {
    expect(await refusal(urlOf('downbeat:right@'), ca())).toBe('');
  });

  it.each([
    [
      'an authority that did not sign',
      () => [urlOf('downbeat:right@'), otherCa()],
      /not trusted \(.*\(SELF_SIGNED_CERT_IN_CHAIN\)\): give its authority in --redis-tls-ca-file/,
    ],
    ['no authority', () => [urlOf('downbeat:right@')], /not trusted/],
    [
      'a wrong password',
      () => [urlOf('downbeat:wrong@'), ca()],
      /^Redis at rediss:\/\/127\.0\.0\.1:\d+ refuses this user or password: give the right ones in --redis-url\.$/,
    ],
    [
      'a file that is not there',
      () => [urlOf('downbeat:right@'), '--redis-tls-ca-file=/none.pem'],
      /^The file of redis-tls-ca-file cannot be read: ENOENT/,
    ],
  ] as const)('tells a node with %s so', async (_, args, sentence) => {
    expect(await refusal(...args())).toMatch(sentence);
  });

  const otherCa = (): string => `--redis-tls-ca-file=${redis.otherAuthority.certFile}`;

  it.each([
    [['-zadd', '-hsetnx'], 'run HSETNX, ZADD: give it the rights'],
    [['-set'], 'not give this user the rights that a node needs (NOPERM'],
    [['-evalsha'], 'run EVALSHA: give it the rights'],
    [['-memory'], 'run MEMORY USAGE: give it the rights'],
    [['resetchannels'], 'run PUBLISH: give it the rights'],
    [['resetkeys', '~other:*'], 'not give this user the rights that a node needs (NOPERM'],
  ])('tells a node whose user has %j what is missing', async (rules, sentence) => {
    redis.ask(...rightsLine('less', 'right'), ...rules);
    expect(await refusal(urlOf('less:right@'), ca())).toContain(sentence);
  });

  it('takes a node that asks a Sentinel for it, both over TLS', async () => {
    const sentinel = await startSecuredSentinel(redis);
    try {
      const host = `127.0.0.1:${sentinel.tlsPort}/downbeat`;
      const url = `--redis-url=rediss-sentinel://downbeat:right@${host}`;
      expect(await refusal(url, ca())).toBe('');
    } finally {
      await sentinel.stop();
    }
  });

  it('says of a cluster as well why it cannot be used', async () => {
    const ofCluster = `--redis-url=rediss-cluster://downbeat:right@127.0.0.1:${redis.tlsPort}`;
    expect(await refusal(ofCluster)).toMatch(/not trusted/);
    const nobody = `--redis-url=redis-cluster://127.0.0.1:${await freePort()}`;
    expect(await refusal(nobody)).toMatch(/cannot be reached: start it/);
  });
});

/**
 * Commands that a node needs besides those that it asks for: connecting, subscribing, scripts and
 * the server as a whole. CONFIG GET only tells the level of durability.
 */
const further = [
  ...['ASKING', 'CLIENT|SETNAME', 'CLUSTER|INFO', 'CLUSTER|SLOTS', 'CONFIG|GET', 'DEL', 'EVAL'],
  ...['EVALSHA', 'INFO', 'MEMORY|USAGE', 'PING', 'PUBLISH', 'SCAN', 'SELECT', 'SET', 'SUBSCRIBE'],
  ...['TIME', 'UNLINK', 'UNSUBSCRIBE', 'WAIT'],
];
const neededCommands = [...Object.keys(probes), ...further].sort();

describe('the rights of docs/redis.md', () => {
  it('are those that a node asks for', () => {
    const rights = rightsLine('u', 'p').filter((rule) => rule.startsWith('+'));
    expect(rights).toEqual(neededCommands.map((command) => `+${command.toLowerCase()}`));
  });

  it('are for every command that the server sends', async () => {
    const server = await startRedis();
    const redis = new RedisClient({ url: server.url, prefix: 'r' });
    try {
      await redis.connect();
      const names = (await redis.reads.call('COMMAND', 'LIST')) as string[];
      const known = new Set(names.map((name) => name.toUpperCase()));
      // Streams of message brokers are on servers of their own; see docs/redis.md for WAITAOF.
      const sent = quotedWords('stream-connection.ts').filter((word) => known.has(word));
      const granted = [...neededCommands.map((name) => name.split('|')[0]), 'WAITAOF'];
      expect(sent).toContain('HMGET');
      expect(sent.filter((word) => !granted.includes(word))).toEqual([]);
    } finally {
      redis.disconnect();
      await server.stop();
    }
  });
});

/** Words in capitals that stand in quotes in src/redis, commands among them. */
function quotedWords(exceptFile: string): string[] {
  const folder = path.join(projectRoot, 'src', 'redis');
  const files = fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(ts|lua)$/.test(name) && name !== exceptFile);
  const texts = files.map((name) => fs.readFileSync(path.join(folder, name), 'utf8'));
  const words = texts.join('\n').matchAll(/(['"`])([A-Z]{3,})\1/g);
  return [...new Set([...words].map(([, , word]) => word as string))];
}
