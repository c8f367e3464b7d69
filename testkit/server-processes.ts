// The processes of a server that runs several (setting `processes`).
import fs from 'node:fs';
import path from 'node:path';
import { signalProcess } from './process.js';
import type { RunningServer } from './server.js';
import { until } from './until.js';

/** Process ids of the nodes, by their place; none where the server is one process. */
export function processPids({ dataDir }: Pick<RunningServer, 'dataDir'>): number[] {
  const folder = path.join(dataDir, 'processes');
  if (!fs.existsSync(folder)) return [];
  const places = fs.readdirSync(folder).sort((a, b) => Number(a) - Number(b));
  return places.map((place) => pidIn(path.join(folder, place)));
}

/** 0 while there is none. */
function pidIn(folder: string): number {
  try {
    return Number(fs.readFileSync(path.join(folder, 'node.pid'), 'utf8').split('\n')[0]);
  } catch {
    return 0;
  }
}

/** Kills the process at a place; resolves once the supervisor has started another one there. */
export async function killProcess(server: RunningServer, place: number): Promise<void> {
  const killed = processPids(server)[place] ?? 0;
  signalProcess(killed, 'SIGKILL');
  await until('another process', () => ![killed, 0].includes(processPids(server)[place] ?? 0));
}

/** Resolves once every process serves. */
export async function allServe({ url }: Pick<RunningServer, 'url'>): Promise<void> {
  await until('all processes', async () => {
    const health = await (await fetch(`${url}/health`)).json();
    const { processes } = (health as { details: { processes: { healthy: boolean }[] } }).details;
    return processes.every(({ healthy }) => healthy);
  });
}
