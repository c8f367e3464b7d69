// Repairs the end of the private Redis' append-only file. A Redis that is killed in the middle of a
// write leaves a torn transaction there. With `aof-load-truncated yes` it cuts such an end off by
// itself, but only behind the last whole command, also inside the transaction: what is left of that
// stays in the file without an end, so that the next transaction closes it, and the load after the
// next one carries it out. Observed with 7.0.15: a record whose deletion was the torn transaction's
// first command is gone after the second restart (decision 0004).
//
// So the private Redis refuses a torn file, and the whole of the torn transaction is cut off here.
// Nothing that was acknowledged is in it: an answer leaves after its transaction has been synced.
// The part that was cut off is kept in a file beside.
import { spawn } from 'node:child_process';
import { closeSync, openSync, readSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The message of Redis when a file ends within a command or a transaction. A file that is broken
 * elsewhere is left to people.
 */
const tornMessage = 'Unexpected end of file reading the append only file';
/**
 * The largest transaction is a batch of commits, some hundred KB; more than this is no torn write.
 */
const tornBytesMax = 64 * 1024 * 1024;
const analysis = /^AOF analyzed: filename=(.+), size=(\d+), ok_up_to=(\d+),/gm;

export interface Repair {
  readonly file: string;
  readonly bytes: number;
  /** Where the bytes that were cut off are. */
  readonly keptIn: string;
}

/**
 * Whether Redis refused its file because it is torn at the end; `log` is the end of what it wrote.
 */
export function isTorn(log: string): boolean {
  return log.includes(tornMessage);
}

/**
 * Cuts the torn transaction off the append-only file in `folder`, the working folder of a Redis
 * that does not run. undefined, and nothing changed, when there is none or it is too large to be
 * one.
 */
export async function repairAppendOnlyFile(folder: string): Promise<Repair | undefined> {
  const files = join(folder, 'appendonlydir');
  const report = await checked(join(files, 'appendonly.aof.manifest'));
  for (const [, name = '', sizeText, wholeText] of report.matchAll(analysis)) {
    const whole = Number(wholeText);
    const bytes = Number(sizeText) - whole;
    if (bytes === 0) continue;
    if (bytes > tornBytesMax) return undefined;
    const file = join(files, name);
    const keptIn = join(folder, `${name}.torn`);
    keep(file, whole, bytes, keptIn);
    truncateSync(file, whole);
    return { file, bytes, keptIn };
  }
  return undefined;
}

/**
 * Runs Redis' own check of the files, which changes nothing. It is the server's binary under
 * another name: the one on PATH may be of another version, which cannot read them.
 */
function checked(manifest: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const check = spawn('redis-server', [manifest], {
      argv0: 'redis-check-aof',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let report = '';
    const hear = (bytes: Buffer): void => void (report += bytes.toString());
    check.stdout.on('data', hear);
    check.stderr.on('data', hear);
    check.on('error', reject);
    check.on('close', () => resolve(report));
  });
}

function keep(file: string, from: number, bytes: number, keptIn: string): void {
  const descriptor = openSync(file, 'r');
  try {
    const torn = Buffer.alloc(bytes);
    readSync(descriptor, torn, 0, bytes, from);
    writeFileSync(keptIn, torn, { mode: 0o600 });
  } finally {
    closeSync(descriptor);
  }
}
