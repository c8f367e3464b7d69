// The private Redis of a node (architecture section 5): a redis-server child with its own folder,
// an append-only file that is synced on every write, no TCP port, no eviction.
//
//   start   An instance that still runs on the same folder (its node died a moment ago) is adopted;
//           any other holder of the folder is ended. Otherwise a child is started, and serving
//           begins when it answers PING (before that it answers LOADING).
//           A node that is killed right after it started a child leaves a child that does not
//           answer yet. So a child writes its process id first and then reads whether its node is
//           still in the keeper file; a node writes the keeper file first and then reads the
//           process id. One of them sees the other, and no two instances ever write to one file.
//   crash   The child's end is noticed at once (an adopted one's within a quarter second) and it is
//           started again. A file that the crash left torn at its end is repaired first
//           (append-only-file.ts).
//   orphan  The child is started by a shell that first forks a guard and then becomes redis-server,
//           so it is never without the guard. Every 2 s the guard checks whether the process named
//           in the keeper file lives; after two checks that find it dead it ends Redis: 4 to 8 s
//           after the node's death, unless another node has taken the folder meanwhile. It writes a
//           note first and then checks once more; a node that adopts writes the keeper file first
//           and then reads the note. One of them sees the other, and no node goes on with a Redis
//           that is about to end.
//   stop    SIGTERM by process id: Redis syncs its file and ends.
//
// It runs in a session of its own, so that an interrupt from the terminal reaches the node only.
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  closeSync,
  readFileSync,
  readSync,
  fstatSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { totalmem, userInfo } from 'node:os';
import { join } from 'node:path';
import { AppError } from '../model/errors.js';
import { isTorn, repairAppendOnlyFile } from './append-only-file.js';
import { isAlive } from './data-folder.js';
import { askInstance, type InstanceState } from './instance-state.js';

export interface LocalStoreSettings {
  /** Data folder of the node. */
  readonly dataDir: string;
  /** File whose first line is the process id of the node; see data-folder.ts. */
  readonly keeperFile: string;
  readonly appendFsync: 'always' | 'everysec';
  /** Memory limit; 0 = three quarters of what the machine (or its container) has. */
  readonly memoryBytes: number;
  /** The data ends with the child process: nothing is written to a file. */
  readonly isVolatile?: boolean;
  /** Called with a sentence about what happens to the child. */
  readonly report: (level: 'info' | 'warn' | 'error', message: string) => void;
  /** Aborts a start that is still loading. */
  readonly signal?: AbortSignal;
}

export interface LocalStore {
  /** For RedisClient. */
  readonly url: string;
  /** Process id of the child now; changes when it is started again. */
  readonly pid: number;
  /** Ends the child in good order; may be called twice. */
  stop(): Promise<void>;
}

/** Paths of Unix sockets end at 104 bytes on some systems. */
const socketPathMax = 100;
const pollMs = 10;
const watchMs = 250;
const stopTimeoutMs = 10_000;
/**
 * Shortest and longest pause between two starts of the child: each start that did not lead to
 * service doubles it.
 */
const restartEveryMs = 200;
const restartEveryMsMax = 5_000;
/** Starts of a child that never answered before the node gives up. */
const firstStartsMax = 3;
const logBytesMax = 10 * 1024 * 1024;

/**
 * Starts or adopts the private Redis; resolves when it serves. Throws AppError 'unavailable' with
 * what to do.
 */
export async function openLocalStore(settings: LocalStoreSettings): Promise<LocalStore> {
  const child = new RedisChild(settings);
  await child.start();
  return child;
}

class RedisChild implements LocalStore {
  readonly #folder: string;
  readonly #socket: string;
  readonly #configFile: string;
  readonly #logFile: string;
  readonly #pidFile: string;
  /** The guard's note that it ends Redis. */
  readonly #endingFile: string;
  /** First line of the keeper file: who starts the child. */
  readonly #keeper: string;
  #pid = 0;
  #startedAt = 0;
  #stopping = false;
  #watch: NodeJS.Timeout | undefined;
  #restarting: Promise<void> | undefined;

  constructor(private readonly settings: LocalStoreSettings) {
    this.#folder = join(settings.dataDir, 'redis');
    this.#configFile = join(this.#folder, 'redis.conf');
    this.#logFile = join(this.#folder, 'redis.log');
    this.#pidFile = join(this.#folder, 'redis.pid');
    this.#endingFile = join(this.#folder, 'redis.ending');
    this.#keeper = readFileSync(settings.keeperFile, 'utf8').split('\n')[0] ?? '';
    this.#socket = socketPathFor(this.#folder);
  }

  get url(): string {
    return `unix://${this.#socket}`;
  }

  get pid(): number {
    return this.#pid;
  }

  async start(): Promise<void> {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    this.#rotateLog();
    writeFileSync(this.#configFile, this.#config(), { mode: 0o600 });
    if (!(await this.#adopt())) await this.#launchFirst();
    this.#watchPid();
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    clearInterval(this.#watch);
    await this.#restarting;
    await endProcess(this.#pid);
  }

  /** True when an instance on this folder runs and stays. */
  async #adopt(): Promise<boolean> {
    for (;;) {
      const state = await askInstance(this.#socket);
      const isComing = state.kind === 'loading';
      const isGoing = state.kind === 'serving' && existsSync(this.#endingFile);
      if ((isComing || isGoing) && !this.settings.signal?.aborted) {
        await this.#pause();
        continue;
      }
      if (state.kind === 'serving' && state.configFile === this.#configFile) {
        this.#pid = state.pid;
        this.#startedAt = Date.now();
        this.settings.report(
          'info',
          `adopted the private Redis that still ran (process ${state.pid})`,
        );
        return true;
      }
      const left = state.kind === 'serving' ? state.pid : this.#pidOnFile();
      if (left !== undefined) await endProcess(left);
      rmSync(this.#socket, { force: true });
      if (this.settings.signal?.aborted) throw brokenOff();
      return false;
    }
  }

  /**
   * Process id that a child has written, when that process is a Redis of this folder or about to
   * become one.
   */
  #pidOnFile(): number | undefined {
    if (!existsSync(this.#pidFile)) return undefined;
    const pid = Number(readFileSync(this.#pidFile, 'utf8'));
    if (!Number.isInteger(pid) || pid <= 1 || !isAlive(pid)) return undefined;
    const command = commandOf(pid);
    const isOurs = command.includes(this.#configFile) || command.includes(this.#socket);
    return command.includes('redis-server') && isOurs ? pid : undefined;
  }

  async #launchFirst(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      this.#launch();
      if (await this.#served()) return;
      if (this.settings.signal?.aborted) throw brokenOff();
      if (await this.#repaired()) continue;
      if (attempt >= firstStartsMax) throw this.#refusal();
    }
  }

  #launch(): void {
    rmSync(this.#endingFile, { force: true });
    const guardedStart = spawn(
      '/bin/sh',
      [
        ...['-c', guardScript, 'downbeat-redis'],
        ...[this.settings.keeperFile, this.#configFile, this.#endingFile],
        ...[this.#pidFile, this.#keeper],
      ],
      { detached: true, stdio: 'ignore', cwd: this.#folder },
    );
    this.#pid = guardedStart.pid ?? 0;
    this.#startedAt = Date.now();
    guardedStart.on('error', (error) => this.settings.report('error', `sh: ${error.message}`));
    const { pid } = guardedStart;
    guardedStart.on('exit', () => this.#ended(pid ?? 0));
    guardedStart.unref();
  }

  /**
   * False when the child ends before it answers. Loading a large file takes as long as it takes.
   */
  async #served(): Promise<boolean> {
    const pid = this.#pid;
    for (;;) {
      const state: InstanceState = await askInstance(this.#socket);
      if (state.kind === 'serving' && state.pid === pid) return true;
      if (this.settings.signal?.aborted) {
        await endProcess(pid);
        return false;
      }
      if (!isAlive(pid)) return false;
      await this.#pause();
    }
  }

  #pause(): Promise<void> {
    return new Promise((resume) => setTimeout(resume, pollMs));
  }

  /**
   * An adopted child is no child of this process and cannot be waited for, so its process id is
   * polled.
   */
  #watchPid(): void {
    this.#watch = setInterval(() => {
      if (!isAlive(this.#pid)) this.#ended(this.#pid);
    }, watchMs);
    this.#watch.unref();
  }

  #ended(pid: number): void {
    if (this.#stopping || pid !== this.#pid || this.#watch === undefined) return;
    this.#restarting ??= this.#restart().finally(() => (this.#restarting = undefined));
  }

  async #restart(): Promise<void> {
    this.settings.report(
      'error',
      `the private Redis (process ${this.#pid}) ended; starting it again`,
    );
    for (let everyMs = restartEveryMs; !this.#stopping; everyMs *= 2) {
      const dueAt = this.#startedAt + Math.min(everyMs, restartEveryMsMax);
      await new Promise((resume) => setTimeout(resume, dueAt - Date.now()));
      if (this.#stopping) return;
      try {
        if (await this.#launchAgain()) return;
      } catch (error) {
        // Such as a machine that gives no process and no open file now.
        this.settings.report('error', `the private Redis does not start: ${String(error)}`);
      }
    }
  }

  /** False: it ended before it answered. */
  async #launchAgain(): Promise<boolean> {
    rmSync(this.#socket, { force: true });
    this.#launch();
    if (await this.#served()) {
      this.settings.report('info', `the private Redis serves again (process ${this.#pid})`);
      return true;
    }
    if (!(await this.#repaired())) this.settings.report('error', this.#refusal().message);
    return false;
  }

  /** Whether the child refused a torn file that is whole now. */
  async #repaired(): Promise<boolean> {
    if (this.#stopping || !isTorn(tailOf(this.#logFile))) return false;
    const repair = await repairAppendOnlyFile(this.#folder);
    if (repair === undefined) return false;
    this.settings.report(
      'warn',
      `the private Redis had been ended in the middle of a write that nobody was told of; its ${repair.bytes} bytes are cut off ` +
        `${repair.file} and kept in ${repair.keptIn}`,
    );
    return true;
  }

  #refusal(): AppError {
    return new AppError(
      'unavailable',
      `The private Redis does not start. Is redis-server on PATH? Its log ${this.#logFile} ends with:\n${tailOf(this.#logFile)}`,
    );
  }

  #rotateLog(): void {
    if (existsSync(this.#logFile) && statSync(this.#logFile).size > logBytesMax) {
      renameSync(this.#logFile, `${this.#logFile}.old`);
    }
  }

  #config(): string {
    const { appendFsync, memoryBytes, isVolatile = false } = this.settings;
    const limit = memoryBytes > 0 ? memoryBytes : Math.floor(availableBytes() * 0.75);
    return [
      '# Written by Downbeat at each start.',
      'port 0',
      `unixsocket ${quoted(this.#socket)}`,
      'unixsocketperm 700',
      `dir ${quoted(this.#folder)}`,
      `pidfile ${quoted(this.#pidFile)}`,
      `logfile ${quoted(this.#logFile)}`,
      'daemonize no',
      'databases 1',
      'save ""',
      `appendonly ${isVolatile ? 'no' : 'yes'}`,
      `appendfsync ${appendFsync}`,
      // Its own repair leaves parts of a torn transaction in the file (append-only-file.ts).
      'aof-load-truncated no',
      'auto-aof-rewrite-percentage 100',
      // Reading what was appended takes about 25 ms a MB: with this it stays in the seconds.
      'auto-aof-rewrite-min-size 64mb',
      `maxmemory ${limit}`,
      'maxmemory-policy noeviction',
      'hash-max-ziplist-entries 128',
      'hash-max-ziplist-value 512',
      'lazyfree-lazy-user-del yes',
      'lazyfree-lazy-expire yes',
      '',
    ].join('\n');
  }
}

function brokenOff(): AppError {
  return new AppError('unavailable', 'The start was broken off.');
}

/**
 * $1 keeper file, $2 configuration, $3 the note that Redis is being ended, $4 file for the process
 * id, $5 who starts it. The guard ends with Redis.
 */
const guardScript = `
redis=$$
echo "$redis" > "$4"
read -r keeper < "$1"
[ "$keeper" = "$5" ] || exit 1
lives() {
  kill -0 "$1" 2>/dev/null || return 1
  [ -r "/proc/$1/stat" ] || return 0
  read -r state < "/proc/$1/stat"
  case "$state" in *') Z '*) return 1 ;; esac
}
kept() {
  keeper=
  read -r keeper < "$1"
  [ -n "$keeper" ] && lives "$keeper"
}
(
  missing=0
  while sleep 2; do
    lives "$redis" || exit 0
    if kept "$1"; then
      missing=0
      continue
    fi
    missing=$((missing + 1))
    [ "$missing" -ge 2 ] || continue
    true > "$3"
    if kept "$1"; then
      missing=0
      rm -f "$3"
    else
      kill -TERM "$redis" 2>/dev/null
    fi
  done
) 2>/dev/null &
exec redis-server "$2"
`;

/**
 * A short path: in the folder where it fits, else in a private folder below /tmp that is named
 * after it.
 */
export function socketPathFor(folder: string, name = 'redis.sock'): string {
  const inside = join(folder, name);
  if (Buffer.byteLength(inside) <= socketPathMax) return inside;
  const digest = createHash('sha256').update(folder).digest('hex').slice(0, 16);
  const outside = `/tmp/downbeat-${userInfo().uid}-${digest}`;
  mkdirSync(outside, { recursive: true, mode: 0o700 });
  const found = lstatSync(outside);
  if (!found.isDirectory() || found.uid !== userInfo().uid) {
    throw new AppError(
      'unavailable',
      `${outside} belongs to somebody else; choose a data folder with a shorter path.`,
    );
  }
  chmodSync(outside, 0o700);
  return join(outside, name);
}

/** Ends a process in good order, by force when it takes too long; resolves when it has gone. */
async function endProcess(pid: number): Promise<void> {
  const deadline = Date.now() + stopTimeoutMs;
  if (pid <= 1) return;
  for (let sent = false; isAlive(pid);) {
    if (!sent) process.kill(pid, 'SIGTERM');
    else if (Date.now() > deadline) process.kill(pid, 'SIGKILL');
    sent = true;
    await new Promise((resume) => setTimeout(resume, pollMs));
  }
}

/** Command line of a process; '' when it has gone. */
function commandOf(pid: number): string {
  const file = `/proc/${pid}/cmdline`;
  try {
    if (existsSync('/proc/self')) return readFileSync(file, 'utf8');
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  } catch {
    return '';
  }
}

function availableBytes(): number {
  const constrained = process.constrainedMemory();
  return constrained > 0 && constrained < totalmem() ? constrained : totalmem();
}

function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

function tailOf(file: string): string {
  if (!existsSync(file)) return '(there is no log)';
  const descriptor = openSync(file, 'r');
  try {
    const { size } = fstatSync(descriptor);
    const bytes = Buffer.alloc(Math.min(size, 2000));
    readSync(descriptor, bytes, 0, bytes.length, size - bytes.length);
    return bytes.toString();
  } finally {
    closeSync(descriptor);
  }
}
