import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { RedisClient } from '../../src/redis/client.js';
import { isAlive, openDataFolder } from '../../src/redis/data-folder.js';
import { openLocalStore, type LocalStore } from '../../src/redis/local-store.js';
import { createFolder, removeFolder } from '../../testkit/folder.js';
import { until } from '../../testkit/until.js';

const folders: string[] = [];
const stores: LocalStore[] = [];
const others: ChildProcess[] = [];

afterEach(async () => {
  for (const store of stores.splice(0)) await store.stop();
  for (const other of others.splice(0)) other.kill('SIGKILL');
  for (const folder of folders.splice(0)) removeFolder(folder);
});

function freshFolder(): string {
  const folder = createFolder();
  folders.push(folder);
  return folder;
}

/** A process that does nothing, to stand in for a node. */
function startKeeper(): number {
  const keeper = spawn('sleep', ['600'], { stdio: 'ignore' });
  others.push(keeper);
  return keeper.pid as number;
}

async function open(dataDir: string, keeper = process.pid): Promise<LocalStore> {
  const keeperFile = join(dataDir, 'node.pid');
  writeFileSync(keeperFile, `${keeper}\n`);
  const store = await openLocalStore({
    dataDir,
    keeperFile,
    appendFsync: 'always',
    memoryBytes: 0,
    report: () => undefined,
  });
  stores.push(store);
  return store;
}

async function withClient<T>(
  store: LocalStore,
  use: (client: RedisClient) => Promise<T>,
): Promise<T> {
  const client = new RedisClient({ url: store.url, prefix: 't' });
  await client.connect();
  try {
    return await use(client);
  } finally {
    client.disconnect();
  }
}

describe('the private Redis', () => {
  it('keeps its data over a stop, syncs every write and never evicts', async () => {
    const folder = freshFolder();
    const first = await open(folder);
    await withClient(first, async ({ reads }) => {
      await reads.call('SET', 'k', 'v');
      const settings = (await reads.call('CONFIG', 'GET', 'append*')) as string[];
      expect(settings).toEqual(expect.arrayContaining(['appendfsync', 'always']));
      const info = String(await reads.call('INFO', 'memory'));
      expect(info).toMatch(/maxmemory_policy:noeviction/);
      expect(info).not.toMatch(/^maxmemory:0\r$/m);
    });
    const { pid } = first;
    await first.stop();
    expect(isAlive(pid)).toBe(false);
    const second = await open(folder);
    expect(await withClient(second, ({ reads }) => reads.call('GET', 'k'))).toBe('v');
  });

  it('is started again when it is killed, with what it had confirmed', async () => {
    const openedAt = Date.now();
    const store = await open(freshFolder());
    const openMs = Date.now() - openedAt;
    await withClient(store, ({ reads }) => reads.call('SET', 'k', 'v'));
    const { pid } = store;
    const killedAt = Date.now();
    process.kill(pid, 'SIGKILL');
    await until('a new process', () => store.pid !== pid);
    const client = new RedisClient({ url: store.url, prefix: 't' });
    await until('its answer', () =>
      client.connect().then(
        () => true,
        () => false,
      ),
    );
    // As long as a start, and the 200 ms after which it is due at the latest.
    expect(Date.now() - killedAt).toBeLessThan(20 * openMs);
    expect(await client.reads.call('GET', 'k')).toBe('v');
    client.disconnect();
  });

  it.each([
    ['in a command of a transaction', (text: string) => text.lastIndexOf('xxx')],
    ['between two of its commands', (text: string) => text.lastIndexOf('*3')],
    ['in its first line', (text: string) => text.lastIndexOf('MULTI') + 2],
    ['before its end', (text: string) => text.lastIndexOf('EXEC') - 1],
  ])('cuts off the whole of a write that a crash tore %s', async (_where, at) => {
    const folder = freshFolder();
    const write = `redis.call('DEL', 'kept') redis.call('SET', 'kept', string.rep('x', 2000)) redis.call('SET', 'z', 1)`;
    let store = await open(folder);
    await withClient(store, async ({ commits }) => {
      await commits.call('SET', 'kept', 'acknowledged');
      await commits.call('EVAL', write, '0');
    });
    await store.stop();
    const file = join(folder, 'redis', 'appendonlydir', 'appendonly.aof.1.incr.aof');
    const text = readFileSync(file, 'latin1');
    writeFileSync(file, text.slice(0, at(text)), 'latin1');
    store = await open(folder);
    await withClient(store, async ({ commits }) => {
      expect(await commits.call('GET', 'kept')).toBe('acknowledged');
      await commits.call('EVAL', `redis.call('SET', 'a', 1) redis.call('SET', 'b', 1)`, '0');
    });
    await store.stop();
    store = await open(folder);
    await withClient(store, async ({ commits }) => {
      expect(await commits.call('MGET', 'kept', 'z', 'a', 'b')).toEqual([
        'acknowledged',
        null,
        '1',
        '1',
      ]);
    });
    const torn = readFileSync(join(folder, 'redis', 'appendonly.aof.1.incr.aof.torn'), 'latin1');
    expect(text.slice(0, at(text)).endsWith(torn)).toBe(true);
  });

  it('leaves a file to people that is broken elsewhere', async () => {
    const folder = freshFolder();
    const store = await open(folder);
    await withClient(store, async ({ commits }) => {
      for (let i = 0; i < 10; i++) await commits.call('SET', `key${i}`, 'value');
    });
    await store.stop();
    const file = join(folder, 'redis', 'appendonlydir', 'appendonly.aof.1.incr.aof');
    const broken = readFileSync(file, 'latin1').replace('$4\r\nkey3', '$9\r\nkey3');
    writeFileSync(file, broken, 'latin1');
    await expect(open(folder)).rejects.toThrow('The private Redis does not start');
    expect(readFileSync(file, 'latin1')).toBe(broken);
  });

  it('ends by itself when its node has died', async () => {
    const folder = freshFolder();
    const dead = 2 ** 22 - 3;
    // A constant: the store that opened it here lives and starts another one.
    const { pid } = await open(folder, dead);
    const diedAt = Date.now();
    await until('its end', () => !isAlive(pid), { timeoutMs: 15_000 });
    expect(Date.now() - diedAt).toBeGreaterThan(1_500);
  });

  it('ends by itself when its node has died, also when its folder is gone', async () => {
    const folder = freshFolder();
    const keeper = startKeeper();
    const { pid } = await open(folder, keeper);
    process.kill(keeper, 'SIGKILL');
    removeFolder(folder);
    await until('its end', () => !isAlive(pid), { timeoutMs: 15_000 });
  });

  it('is adopted by the next start on the same folder', async () => {
    const folder = freshFolder();
    const first = await open(folder, startKeeper());
    const second = await open(folder, process.pid);
    expect(second.pid).toBe(first.pid);
    process.kill(first.pid, 'SIGKILL');
    await until('a start by one of both', () => isAlive(second.pid));
  });

  it('is not adopted when its guard has begun to end it', async () => {
    const folder = freshFolder();
    const first = await open(folder, startKeeper());
    const { pid } = first;
    writeFileSync(join(folder, 'redis', 'redis.ending'), '');
    const opening = open(folder, process.pid);
    setTimeout(() => void first.stop(), 300);
    const second = await opening;
    expect(isAlive(pid)).toBe(false);
    expect(second.pid).not.toBe(pid);
    await withClient(second, async (client) => {
      expect(await client.reads.call('PING')).toBe('PONG');
    });
  });

  it('works in a folder whose path is too long for a socket', async () => {
    const folder = join(freshFolder(), 'a'.repeat(120));
    mkdirSync(folder);
    const store = await open(folder);
    expect(await withClient(store, ({ reads }) => reads.call('PING'))).toBe('PONG');
    expect(store.url.length).toBeLessThan(100);
  });

  it('says what its log says when it does not start', async () => {
    const folder = freshFolder();
    mkdirSync(join(folder, 'redis', 'appendonlydir'), { recursive: true });
    writeFileSync(
      join(folder, 'redis', 'appendonlydir', 'appendonly.aof.manifest'),
      'this is no manifest\n',
    );
    await expect(open(folder)).rejects.toThrow(/does not start.*manifest/s);
  });
});

describe('whether a process lives', () => {
  it.skipIf(!existsSync('/proc/self/stat'))(
    'is told of one that has ended but that nobody has asked how (needs /proc)',
    async () => {
      // The shell becomes a program that does not ask its child, and the child waits for that.
      const waits = 'until grep -q sleep /proc/$PPID/comm; do :; done';
      const parent = spawn('/bin/sh', ['-c', `sh -c '${waits}' & echo $!; exec sleep 600`]);
      others.push(parent);
      const [line] = (await once(parent.stdout, 'data')) as [Buffer];
      const child = Number(line.toString());
      await until('its end', () => !isAlive(child));
      expect(readFileSync(`/proc/${child}/stat`, 'utf8')).toContain(') Z ');
      expect(isAlive(parent.pid as number)).toBe(true);
    },
  );
});

describe('a data folder', () => {
  it('belongs to one running node and keeps its name', () => {
    const path = freshFolder();
    const folder = openDataFolder(path);
    expect(readFileSync(folder.keeperFile, 'utf8')).toMatch(new RegExp(`^${process.pid}\n`));
    folder.close();
    expect(existsSync(folder.keeperFile)).toBe(false);
    expect(openDataFolder(path).nodeId).toBe(folder.nodeId);
  });

  it('is refused with a sentence where it cannot be made', () => {
    const file = join(freshFolder(), 'a-file');
    writeFileSync(file, '');
    const refused = /The data folder .* cannot be made \(.*\)\. Give one .* --data-dir/;
    expect(() => openDataFolder(file)).toThrow(refused);
    expect(() => openDataFolder(join(file, 'below'))).toThrow(refused);
    // The recursive form of mkdir never came back from there.
    if (process.platform === 'linux') {
      expect(() => openDataFolder('/proc/nope')).toThrow(refused);
      expect(() => openDataFolder('/proc/nope/deeper')).toThrow(refused);
    }
  });

  it('is refused while another process has it, and taken when that has ended', async () => {
    const path = freshFolder();
    const keeper = spawn('sleep', ['600'], { stdio: 'ignore' });
    others.push(keeper);
    writeFileSync(join(path, 'node.pid'), `${keeper.pid}\n\n`);
    expect(() => openDataFolder(path)).toThrow(/in use by a running node/);
    const ended = new Promise((resolve) => keeper.on('exit', resolve));
    keeper.kill('SIGKILL');
    await ended;
    openDataFolder(path).close();
  });

  it('is taken when its process id names another process by now', () => {
    const path = freshFolder();
    const keeper = startKeeper();
    writeFileSync(join(path, 'node.pid'), `${keeper}\n1\n`);
    openDataFolder(path).close();
  });
});
