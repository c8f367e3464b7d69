// Child processes of tests and tools: each is ended by its own id, and its end can be awaited.
import { spawn, type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { until } from './until.js';

export const outputCharsMax = 100_000;

/**
 * Processor time that a process has used, from /proc: milliseconds of all its threads in user and
 * system mode.
 */
export function cpuMsOf(pid: number): number {
  const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name (second field) may hold spaces; what follows its closing bracket starts with field 3.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  return ticks * msPerTick;
}

/** USER_HZ is 100 on every Linux that Node runs on. */
const msPerTick = 10;

/** Resident memory in bytes. */
export function memoryBytesOf(pid: number): number {
  const match = /VmRSS:\s+(\d+) kB/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(match?.[1] ?? 0) * 1024;
}

/**
 * Process ids of the redis-servers that work inside a folder, found by their working directory
 * (Linux).
 */
export function redisPidsIn(folder: string): number[] {
  const inside = fs.realpathSync(folder);
  const found: number[] = [];
  for (const name of fs.readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    if (isRedisIn(name, inside)) found.push(Number(name));
  }
  return found;
}

function isRedisIn(pid: string, folder: string): boolean {
  try {
    // A process that Redis forked to rewrite its file has the same name, but another title; it may
    // outlive a killed Redis.
    const title = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    if (!/^(\S*\/)?redis-server\b/.test(title)) return false;
    const relative = path.relative(folder, fs.readlinkSync(`/proc/${pid}/cwd`));
    return relative === '' || !relative.startsWith('..');
  } catch (error) {
    // The process ended meanwhile, or belongs to somebody else.
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(codeOf(error))) return false;
    throw error;
  }
}

/** The system's error code of a thrown value, or ''. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** Of a program that never began, because the machine does not have it. */
const noProcess = 0;

/**
 * Sends a signal; false when there is no such process (any more), nor was there ever one: to the
 * system the numbers 0 and -1 mean a group of processes and all there are.
 */
export function signalProcess(pid: number, signal: NodeJS.Signals): boolean {
  if (pid <= noProcess) return false;
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return false;
    throw error;
  }
}

/**
 * Below the ports that systems give to outgoing connections, which may take a free one, and above
 * 10080, the highest of those that `fetch` refuses to connect to.
 */
const firstPort = 10_081;
const portsInAll = 21_900;
let nextPort = Math.floor(Math.random() * portsInAll);

/** A port of this machine that nothing listens on; this process gets each one once. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = firstPort + (nextPort++ % portsInAll);
    if (await isFree(port)) return port;
  }
}

/** Whether something takes connections there. */
export function isListening(address: net.NetConnectOpts): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(address);
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = net.createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/**
 * A process with its output kept (the last `outputCharsMax` characters of it) and its end as a
 * promise.
 */
export interface Program {
  readonly child: ChildProcess;
  readonly pid: number;
  /** Standard output and error so far. */
  output(): string;
  /** Resolves with exit code or signal. */
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  hasEnded(): boolean;
}

export interface ProgramOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly uid?: number;
  readonly gid?: number;
  /** In a group of its own, which `endGroup` ends with what it has started. */
  readonly detached?: boolean;
}

/** Programs that run: killed when this process ends, so that a failed test leaves none behind. */
const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Asks a program that was started `detached`, with what it has started, to end; until all have. */
export async function endGroup({ pid, ended }: Program): Promise<void> {
  const signalGroup = (signal: NodeJS.Signals | 0): boolean => {
    try {
      return process.kill(-pid, signal);
    } catch {
      return false;
    }
  };
  signalGroup('SIGTERM');
  await until('the end of the group', () => !signalGroup(0), { timeoutMs: groupEndMs });
  await ended;
}

/** A server hands its work over and ends its Redis. */
const groupEndMs = 30_000;

export function startProgram(
  command: string,
  args: readonly string[],
  options: ProgramOptions = {},
): Program {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  let text = '';
  let over = false;
  const keep = (chunk: Buffer): void => {
    text = (text + chunk.toString()).slice(-outputCharsMax);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.on('error', (error) => {
      text += String(error);
      over = true;
      running.delete(child);
      resolve({ code: -1, signal: null });
    });
    child.on('exit', (code, signal) => {
      over = true;
      running.delete(child);
      resolve({ code, signal });
    });
  });
  return { child, pid: child.pid ?? noProcess, output: () => text, ended, hasEnded: () => over };
}
