// Ends the servers that the files of a worker share (shared-server.ts) when the run is over. A
// worker writes them down in a folder of the run, because it may end before it can end them. The
// name of a note is that of the server's folder: a server that is restarted has another process.
import fs from 'node:fs';
import path from 'node:path';
import { createFolder, removeFolder } from '../../testkit/folder.js';
import { redisPidsIn, signalProcess } from '../../testkit/process.js';
import { stopTimeoutMs } from '../../testkit/server.js';
import { until } from '../../testkit/until.js';

/** Tells the processes of the test runner where the folder is. */
const folderVariable = 'DOWNBEAT_TEST_SHARED_SERVERS';

/**
 * Writes a server down, or its newest process, so that the end of the run ends it. Throws outside
 * such a run.
 */
export function noteSharedServer(pid: number, dataDir: string): void {
  const folder = process.env[folderVariable];
  if (folder === undefined) throw new Error('a shared server needs the setup of the kind server');
  fs.writeFileSync(path.join(folder, path.basename(dataDir)), JSON.stringify({ pid, dataDir }));
}

/** Called by the test runner before the first file; what it returns is called after the last. */
export function setup(): () => Promise<void> {
  const folder = createFolder();
  process.env[folderVariable] = folder;
  return async () => {
    await Promise.all(fs.readdirSync(folder).map((note) => end(path.join(folder, note))));
    removeFolder(folder);
  };
}

interface Noted {
  readonly pid: number;
  readonly dataDir: string;
}

async function end(note: string): Promise<void> {
  const { pid, dataDir } = JSON.parse(fs.readFileSync(note, 'utf8')) as Noted;
  try {
    if (isServerOf(pid, dataDir)) signalProcess(pid, 'SIGTERM');
    await until(`the end of the shared server ${pid}`, () => !isServerOf(pid, dataDir), {
      timeoutMs: stopTimeoutMs,
    });
  } finally {
    if (isServerOf(pid, dataDir)) signalProcess(pid, 'SIGKILL');
    for (const redis of redisPidsIn(dataDir)) signalProcess(redis, 'SIGKILL');
    removeFolder(dataDir);
  }
}

/** Whether the process is still that server: its number may be another one's by now. */
function isServerOf(pid: number, dataDir: string): boolean {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(dataDir);
  } catch {
    return false;
  }
}
