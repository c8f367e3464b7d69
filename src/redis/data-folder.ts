// The data folder of a node: it belongs to one running node at a time, and keeps the node's name.
//
// `node.pid` holds the process id and, where the system tells it, the start time of the node that
// has the folder. It is made by linking a finished file into place, which fails if it exists. A
// file whose process has ended (or whose id by now names another process) is stale: it is moved
// aside, and only one of several nodes succeeds in moving it. The private Redis reads the same file
// to know whether its node still lives.
import { randomBytes } from 'node:crypto';
import {
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { AppError } from '../model/errors.js';

/** Two nodes that start at the same moment on a stale folder settle within so many tries. */
const triesMax = 5;

export interface DataFolder {
  readonly path: string;
  /** First line: process id of the node that has the folder. */
  readonly keeperFile: string;
  /** Drawn once, kept in the folder. */
  readonly nodeId: string;
  /** Releases the folder; may be called twice. */
  close(): void;
}

/**
 * Creates and takes the folder. Throws AppError 'unavailable' when a running node has it, and
 * 'bad-request' when it cannot be made or written.
 */
export function openDataFolder(path: string): DataFolder {
  const keeperFile = join(path, 'node.pid');
  const mine = `${process.pid}\n${startTimeOf(process.pid)}\n`;
  refusing(`The data folder ${path} cannot be made`, () => makeFolder(path));
  const nodeId = refusing(`The data folder ${path} cannot be written`, () => {
    take(path, keeperFile, mine);
    return nodeIdIn(path);
  });
  return {
    path,
    keeperFile,
    nodeId,
    close() {
      if (read(keeperFile) === mine) rmSync(keeperFile, { force: true });
    },
  };
}

/** Turns an error of the system into a refusal of the setting. */
function refusing<T>(sentence: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new AppError(
      // A disk may have room again at the next start.
      code === 'ENOSPC' ? 'unavailable' : 'bad-request',
      `${sentence} (${message}). Give one that this user may write with --data-dir.`,
    );
  }
}

/**
 * One folder after the other: the recursive form of mkdir never returns where the system says of a
 * folder that exists that it does not, as Linux does below /proc.
 */
function makeFolder(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) return;
  if (dirname(path) !== path) makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another node makes it at the same moment.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || found !== undefined) throw error;
  }
}

function take(path: string, keeperFile: string, mine: string): void {
  const draft = `${keeperFile}.${process.pid}`;
  writeFileSync(draft, mine, { mode: 0o600 });
  try {
    for (let attempt = 0; attempt < triesMax; attempt++) {
      if (link(draft, keeperFile)) return;
      const holder = read(keeperFile);
      if (holder !== undefined && isRunning(holder)) {
        const [pid] = holder.split('\n');
        throw new AppError(
          'unavailable',
          `The data folder ${path} is in use by a running node (process ${pid}). Stop it, or give this node a folder of its own with --data-dir.`,
        );
      }
      moveAside(keeperFile, holder);
    }
  } finally {
    rmSync(draft, { force: true });
  }
  throw new AppError(
    'unavailable',
    `The data folder ${path} could not be taken: ${keeperFile} keeps changing.`,
  );
}

/** False when the file exists. */
function link(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Moves a stale file away; puts it back when another node had replaced it in between. */
function moveAside(keeperFile: string, stale: string | undefined): void {
  const aside = `${keeperFile}.stale.${process.pid}`;
  try {
    renameSync(keeperFile, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  const moved = read(aside);
  if (moved !== stale && moved !== undefined) link(aside, keeperFile);
  rmSync(aside, { force: true });
}

function isRunning(holder: string): boolean {
  const [pidText = '', startTime = ''] = holder.split('\n');
  const pid = Number(pidText);
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  if (!isAlive(pid)) return false;
  return startTime === '' || startTimeOf(pid) === startTime;
}

/** False for 0, which stands for one that could not be started, and means a group to the system. */
export function isAlive(pid: number): boolean {
  if (pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return !isZombie(pid);
}

/**
 * Ended, but its parent has not read its exit status: such a process still takes signals. False
 * where it cannot be told (no /proc, or no file may be opened now).
 */
function isZombie(pid: number): boolean {
  try {
    const stat = read(`/proc/${pid}/stat`);
    return stat?.charAt(stat.lastIndexOf(')') + 2) === 'Z';
  } catch {
    return false;
  }
}

/**
 * Clock ticks since boot at which a process started; '' where the system does not tell (no /proc).
 */
function startTimeOf(pid: number): string {
  const stat = read(`/proc/${pid}/stat`);
  // The name in parentheses may hold anything; the fields after it are numbers. Start time is the
  // 22nd of all.
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

function nodeIdIn(path: string): string {
  const file = join(path, 'node.id');
  const known = read(file)?.trim();
  if (known) return known;
  const nodeId = `node-${randomBytes(6).toString('hex')}`;
  writeFileSync(file, `${nodeId}\n`, { mode: 0o600 });
  return nodeId;
}

/** undefined when there is no such file. */
function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH') return undefined;
    throw error;
  }
}
