// A redis-server of its own that has loaded a snapshot: it listens on a socket in a temporary
// folder, where nobody else finds it.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../shared/failure.js';

/** For loading and for writing; a gigabyte takes some ten seconds. */
const waitMsMax = 600_000;
const lookEveryMs = 100;

export class SnapshotServer {
  private constructor(
    private readonly child: ChildProcess,
    private readonly place: string,
    readonly socket: string,
  ) {}

  /** `folder` holds the snapshot as dump.rdb. */
  static async start(folder: string): Promise<SnapshotServer> {
    // A path to a socket has about a hundred characters at most.
    const place = fs.mkdtempSync(path.join(os.tmpdir(), 'downbeat-'));
    const socket = path.join(place, 's');
    const args = [
      ...['--port', '0', '--unixsocket', socket, '--dir', folder, '--dbfilename', 'dump.rdb'],
      ...['--appendonly', 'no', '--save', '', '--daemonize', 'no'],
    ];
    const child = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const server = new SnapshotServer(child, place, socket);
    let said = '';
    child.stdout.on('data', (bytes: Buffer) => (said = (said + bytes.toString()).slice(-1000)));
    let isMissing = false;
    child.on('error', () => (isMissing = true));
    try {
      await server.#wait('load the snapshot', () => {
        if (isMissing) throw new Failure('redis-server is not on PATH: install it.', 2);
        if (child.exitCode !== null)
          throw new Failure(`redis-server cannot load the snapshot: ${said.trim()}`, 2);
        return SnapshotServer.answersAt(socket);
      });
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  }

  /** Whether a Redis that has loaded its data listens there. */
  static answersAt(socket: string): boolean {
    if (!fs.existsSync(socket)) return false;
    const { stdout, error } = spawnSync('redis-cli', ['-s', socket, 'PING'], { encoding: 'utf8' });
    if (error !== undefined) throw new Failure('redis-cli is not on PATH: install redis-tools.', 2);
    return stdout.trim() === 'PONG';
  }

  keys(): number {
    return Number(this.#ask('DBSIZE'));
  }

  /** Resolves when the folder holds an append-only file of everything. */
  async writeAppendOnlyFile(): Promise<void> {
    this.#ask('CONFIG', 'SET', 'appendonly', 'yes');
    await this.#wait('write the append-only file', () => {
      const info = this.#ask('INFO', 'persistence');
      if (info.includes('aof_last_bgrewrite_status:err'))
        throw new Failure('The append-only file could not be written: is the disk full?');
      return /aof_rewrite_in_progress:0/.test(info) && /aof_rewrite_scheduled:0/.test(info);
    });
  }

  async stop(): Promise<void> {
    const { child } = this;
    if (child.exitCode === null && child.pid !== undefined) {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await ended;
    }
    fs.rmSync(this.place, { recursive: true, force: true });
  }

  #ask(...words: string[]): string {
    return spawnSync('redis-cli', ['-s', this.socket, ...words], {
      encoding: 'utf8',
    }).stdout.trim();
  }

  async #wait(what: string, look: () => boolean): Promise<void> {
    const giveUpAt = Date.now() + waitMsMax;
    while (!look()) {
      if (Date.now() > giveUpAt)
        throw new Failure(`redis-server did not ${what} within ${waitMsMax / 1000} s.`);
      await sleep(lookEveryMs);
    }
  }
}
