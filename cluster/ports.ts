// The ports of a local cluster, looked at before it starts: what answers there already would be
// taken for its nodes.
import net from 'node:net';

/** Rejects with a sentence that names the first port where something listens. */
export async function refuseTakenPorts(first: number, count: number): Promise<void> {
  for (let port = first; port < first + count; port++) {
    if (await isFree(port)) continue;
    throw new Error(
      `Port ${port} is taken, perhaps by a cluster that runs: stop what listens there, or give another --port.`,
    );
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = net.createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
