// The control socket of a local cluster: a Unix socket that takes one fault per line, as JSON
// {"fault": "kill", "node": "node-2"}, and answers each with one line {"done": "..."} or
// {"error": "..."}.
import fs from 'node:fs';
import net, { type Server, type Socket } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import readline from 'node:readline';
import type { LocalCluster } from './local-cluster.js';

/** Where the cluster whose first node listens on `port` is controlled. */
export function controlPath(port: number): string {
  return path.join(os.tmpdir(), `downbeat-cluster-${port}.sock`);
}

export interface Control {
  close(): Promise<void>;
}

export async function openControl(cluster: LocalCluster, port: number): Promise<Control> {
  const file = controlPath(port);
  fs.rmSync(file, { force: true });
  const sockets = new Set<Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    const lines = readline.createInterface({ input: socket });
    lines.on('error', () => socket.destroy());
    lines.on('line', (line) => {
      void answerTo(cluster, line).then((answer) => socket.write(`${JSON.stringify(answer)}\n`));
    });
  });
  await listen(server, file);
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

async function answerTo(
  cluster: LocalCluster,
  line: string,
): Promise<{ done: string } | { error: string }> {
  try {
    const { fault, node } = JSON.parse(line) as { fault: string; node?: string };
    return { done: await cluster.cause(fault, node) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

/** Asks the cluster that runs; resolves with its sentence. Rejects with its refusal. */
export function sendFault(port: number, fault: string, node: string | undefined): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(controlPath(port));
    const lines = readline.createInterface({ input: socket });
    const fail = (cause: Error): void =>
      reject(new Error(`No cluster runs on port ${port}: npm run cluster starts one.`, { cause }));
    // Errors of a socket are errors of the lines that are read from it, too.
    socket.on('error', fail);
    lines.on('error', fail);
    socket.on('close', () => reject(new Error('The cluster ended before it answered')));
    socket.write(`${JSON.stringify({ fault, node })}\n`);
    lines.once('line', (line) => {
      socket.end();
      const answer = JSON.parse(line) as { done?: string; error?: string };
      if (answer.done !== undefined) resolve(answer.done);
      else reject(new Error(answer.error));
    });
  });
}

function listen(server: Server, file: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(file, () => resolve());
  });
}
