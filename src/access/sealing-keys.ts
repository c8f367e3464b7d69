// The keys that seal stored secrets. They come from a file, an environment variable (settings) or
// the output of a command: one key a line, `id:base64 of 32 bytes`, or the base64 alone, whose id
// is then made from its digest. The first key seals; all of them unseal. Without any of the three
// the server draws a key of its own into its data folder, as long as its store is the private one;
// on a shared store every node needs the same key, so it must be given.
//
// Rotation without downtime: add the new key as the second line on every node, wait a minute, then
// make it the first line: what is stored is sealed anew, and the old line can go. The file or
// command is read again every half minute.
import { execFile } from 'node:child_process';
import { createHash, hkdfSync, randomBytes } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../std/clock.js';
import { PeriodicLoop } from '../std/periodic-loop.js';
import type { Service } from '../std/service.js';
import { AppError } from '../model/errors.js';

export interface SealingKey {
  /** Letters, digits, `_` and `-`. */
  readonly id: string;
  /** 32 bytes. */
  readonly bytes: Buffer;
}

export interface SealingKeySource {
  /** Keys themselves; '' when they come from elsewhere. */
  readonly text: string;
  readonly file: string;
  /** Run without a shell, arguments split at blanks. */
  readonly command: string;
  /** File that a key is drawn into when nothing is given; undefined on a shared store. */
  readonly ownFile: string | undefined;
}

const readAgainMs = 30_000;
const commandTimeoutMs = 10_000;
const keyBytes = 32;
const keysMax = 32;

export class SealingKeys implements Service {
  #keys: readonly SealingKey[] = [];
  #drawing: Promise<readonly SealingKey[]> | undefined;
  readonly #loop: PeriodicLoop;

  constructor(
    private readonly source: SealingKeySource,
    private readonly parts: {
      readonly clock: Clock;
      /** Told when a later reading failed; the keys read before stay. */
      readonly failed: (error: unknown) => void;
      /** Called when the sealing key has become another one. */
      readonly changed: () => void;
    },
  ) {
    const { clock, failed } = parts;
    this.#loop = new PeriodicLoop({
      name: 'SealingKeys',
      ...{ clock, failed, everyMs: readAgainMs },
      runsOn: 'node',
      runOnce: () => this.#readOrReject(),
    });
  }

  /** Reads the keys that are given. Rejects with a sentence when they cannot be used. */
  async start(): Promise<void> {
    this.#keys = await readKeys(this.source, false);
    await this.#loop.start();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  /** The key that seals; drawn now when there is none yet. Rejects with AppError 'unavailable'. */
  async sealing(): Promise<SealingKey> {
    if (this.#keys.length === 0) this.#keys = await this.#drawn();
    const [first] = this.#keys;
    if (first !== undefined) return first;
    throw new AppError(
      'unavailable',
      'This server has no key to encrypt secrets with: set secretsKeyFile, secretsKey or secretsKeyCommand on every node',
    );
  }

  /** Id of the key that seals now; undefined without one. */
  get sealingId(): string | undefined {
    return this.#keys[0]?.id;
  }

  /** Those that are read, the sealing one first. */
  get all(): readonly SealingKey[] {
    return this.#keys;
  }

  byId(id: string): SealingKey | undefined {
    return this.#keys.find((key) => key.id === id);
  }

  /** Reads the keys again; what cannot be read leaves the keys as they are. */
  async readAgain(): Promise<void> {
    await this.#readOrReject().catch(this.parts.failed);
  }

  async #readOrReject(): Promise<void> {
    const before = this.sealingId;
    const keys = await readKeys(this.source, false);
    if (keys.length > 0) this.#keys = keys;
    if (before !== undefined && this.sealingId !== before) this.parts.changed();
  }

  /** One drawing at a time: a second one would find the file of the first one half written. */
  #drawn(): Promise<readonly SealingKey[]> {
    this.#drawing ??= readKeys(this.source, true).finally(() => {
      this.#drawing = undefined;
    });
    return this.#drawing;
  }
}

/** Tells one key from another and nothing else about it: 32 hexadecimal digits. */
export function fingerprintOf(key: SealingKey): string {
  return Buffer.from(hkdfSync('sha256', key.bytes, '', 'downbeat key fingerprint', 16)).toString(
    'hex',
  );
}

/** Parses key lines. Throws a sentence that shows nothing of a key. */
export function parseKeys(text: string, from: string): SealingKey[] {
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  if (lines.length > keysMax) throw new Error(`${from} holds more than ${keysMax} keys`);
  return lines.map((line, index) => {
    const colon = line.indexOf(':');
    const bytes = Buffer.from(line.slice(colon + 1), 'base64');
    if (bytes.length !== keyBytes) {
      throw new Error(`Key ${index + 1} of ${from} must be ${keyBytes} bytes in base64`);
    }
    const id = colon < 0 ? digestId(bytes) : line.slice(0, colon);
    if (!/^[\w-]{1,64}$/.test(id)) {
      throw new Error(`The id of key ${index + 1} of ${from} may hold letters, digits, _ and -`);
    }
    return { id, bytes };
  });
}

async function readKeys(source: SealingKeySource, mayDraw: boolean): Promise<SealingKey[]> {
  if (source.text !== '') return parseKeys(source.text, 'the setting secretsKey');
  if (source.file !== '') {
    return parseKeys(await fs.readFile(source.file, 'utf8'), `the file ${source.file}`);
  }
  if (source.command !== '') {
    return parseKeys(await outputOf(source.command), 'the output of secretsKeyCommand');
  }
  return source.ownFile === undefined ? [] : await readOwnFile(source.ownFile, mayDraw);
}

async function readOwnFile(file: string, mayDraw: boolean): Promise<SealingKey[]> {
  try {
    return parseKeys(await fs.readFile(file, 'utf8'), `the file ${file}`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    if (!mayDraw) return [];
  }
  await fs.mkdir(path.dirname(file), { recursive: true });
  const key = randomBytes(keyBytes);
  const handle = await fs.open(file, 'wx', 0o600);
  try {
    await handle.writeFile(`${digestId(key)}:${key.toString('base64')}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  return parseKeys(await fs.readFile(file, 'utf8'), `the file ${file}`);
}

function digestId(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 12);
}

function outputOf(command: string): Promise<string> {
  const [program = '', ...args] = command.split(/\s+/).filter((part) => part !== '');
  return new Promise((resolve, reject) => {
    execFile(program, args, { timeout: commandTimeoutMs }, (error, stdout) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`secretsKeyCommand failed: ${program} ended with ${error.code}`));
    });
  });
}
