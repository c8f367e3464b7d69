// A Redis on a port of its own that syncs every write, as the private Redis of the server does:
// what is acknowledged is on disk, for each peer alike.
import { createFolder, removeFolder } from '../../testkit/folder.js';
import { freePort, isListening, signalProcess, startProgram } from '../../testkit/process.js';
import { until } from '../../testkit/until.js';

export interface DurableRedis {
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

export async function startDurableRedis(): Promise<DurableRedis> {
  const folder = createFolder();
  const port = await freePort();
  const durable = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', ''];
  const where = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder];
  const policy = ['--maxmemory-policy', 'noeviction'];
  const program = startProgram('redis-server', [...where, ...durable, ...policy]);
  await until('Redis', () => isListening({ port, host: '127.0.0.1' }));
  return {
    port,
    pid: program.pid,
    async stop() {
      signalProcess(program.pid, 'SIGTERM');
      await program.ended;
      removeFolder(folder);
    },
  };
}
