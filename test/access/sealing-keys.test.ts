// Where the keys that seal secrets come from, and how one takes the place of another while the
// server runs.
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { seal, unseal } from '../../src/access/sealed-value.js';
import { SealingKeys, type SealingKeySource } from '../../src/access/sealing-keys.js';
import { createFolder, removeFolder } from '../../testkit/folder.js';
import { until } from '../../testkit/until.js';
import { VirtualClock } from '../support/virtual-clock.js';

const line = (id: string, byte: number): string =>
  `${id}:${Buffer.alloc(32, byte).toString('base64')}`;

let folder: string;
const running: SealingKeys[] = [];
beforeEach(() => void (folder = createFolder()));
afterEach(async () => {
  for (const keys of running.splice(0)) await keys.stop();
  removeFolder(folder);
});

interface Started {
  readonly keys: SealingKeys;
  readonly clock: VirtualClock;
  readonly failures: unknown[];
  /** How often another key began to seal. */
  readonly changes: () => number;
}

async function start(source: Partial<SealingKeySource>): Promise<Started> {
  const clock = new VirtualClock();
  const failures: unknown[] = [];
  const none = { text: '', file: '', command: '', ownFile: undefined };
  let changes = 0;
  const keys = new SealingKeys(
    { ...none, ...source },
    { clock, failed: (error) => failures.push(error), changed: () => changes++ },
  );
  running.push(keys);
  await keys.start();
  return { keys, clock, failures, changes: () => changes };
}

describe('the keys that seal secrets', () => {
  it('come from a setting, a file or the output of a command', async () => {
    const file = path.join(folder, 'keys');
    writeFileSync(file, `# ours\n${line('filed', 1)}\n${line('older', 2)}\n`);
    const given = [{ text: line('told', 3) }, { file }, { command: `cat ${file}` }];
    const sealing = await Promise.all(
      given.map(async (source) => (await (await start(source)).keys.sealing()).id),
    );
    expect(sealing).toEqual(['told', 'filed', 'filed']);
    const { keys } = await start({ file });
    expect(keys.byId('older')?.bytes).toEqual(Buffer.alloc(32, 2));
  });

  it('are refused where a command fails, which is named without its output', async () => {
    const command = `cat ${folder}/none`;
    await expect(start({ command })).rejects.toThrow(/secretsKeyCommand failed: cat ended with 1/);
  });

  it('are one drawn for this server alone, where its store is its own', async () => {
    const ownFile = path.join(folder, 'secrets.key');
    const { keys } = await start({ ownFile });
    const drawn = await keys.sealing();
    expect(statSync(ownFile).mode & 0o777).toBe(0o600);
    expect(readFileSync(ownFile, 'utf8')).toContain(drawn.bytes.toString('base64'));
    expect(await (await start({ ownFile })).keys.sealing()).toEqual(drawn);
    await expect((await start({})).keys.sealing()).rejects.toThrow(/no key to encrypt secrets/);
  });
});

describe('another key', () => {
  it('takes over in a running server, and the older one opens what it has sealed', async () => {
    const file = path.join(folder, 'keys');
    writeFileSync(file, line('first', 1));
    const { keys, clock, changes } = await start({ file });
    const sealed = seal('a value', 'secret:a', await keys.sealing());
    writeFileSync(file, `${line('first', 1)}\n${line('second', 2)}`);
    clock.advance(30_000);
    await until('the second key', () => keys.byId('second') !== undefined && clock.timers === 1);
    expect([keys.sealingId, changes()]).toEqual(['first', 0]);
    writeFileSync(file, `${line('second', 2)}\n${line('first', 1)}`);
    clock.advance(30_000);
    await until('the second key to seal', () => keys.sealingId === 'second' && clock.timers === 1);
    expect(changes()).toBe(1);
    expect(unseal(sealed, 'secret:a', keys.byId('first') ?? expect.fail())).toBe('a value');
    writeFileSync(file, line('second', 2));
    clock.advance(30_000);
    await until('the first key to be gone', () => keys.byId('first') === undefined);
  });

  it('that cannot be read leaves the keys as they are', async () => {
    const file = path.join(folder, 'keys');
    writeFileSync(file, line('first', 1));
    const { keys, failures } = await start({ file });
    writeFileSync(file, 'nonsense');
    await keys.readAgain();
    expect(keys.sealingId).toBe('first');
    expect(failures).toMatchObject([{ message: expect.stringMatching(/^Key 1 of the file/) }]);
  });
});
