// The objects of a server that are still in use: asked of its inspector, which collects all others
// first.
import fs from 'node:fs';
import { WebSocket } from 'undici';
import { until } from '../../testkit/until.js';

interface Reply {
  readonly id?: number;
  readonly method?: string;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly params?: Readonly<Record<string, unknown>>;
}

export class LiveHeap {
  #lastId = 0;
  readonly #asked = new Map<number, (result: Readonly<Record<string, unknown>>) => void>();
  #chunk = (_text: string): void => undefined;

  private constructor(private readonly socket: WebSocket) {
    socket.addEventListener('message', ({ data }) => {
      const { id, method, result = {}, params } = JSON.parse(String(data)) as Reply;
      if (method === 'HeapProfiler.addHeapSnapshotChunk') this.#chunk(String(params?.['chunk']));
      if (id !== undefined) this.#asked.get(id)?.(result);
    });
  }

  /** Of the process whose inspector listens at this port of the loopback. */
  static async of(port: number): Promise<LiveHeap> {
    const address = await until('the inspector', async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/json/list`).catch(() => undefined);
      const [process] = ((await answer?.json()) ?? []) as { webSocketDebuggerUrl: string }[];
      return process?.webSocketDebuggerUrl;
    });
    const socket = new WebSocket(address);
    await new Promise((open, fail) => {
      socket.addEventListener('open', open, { once: true });
      socket.addEventListener('error', fail, { once: true });
    });
    const heap = new LiveHeap(socket);
    await heap.#ask('HeapProfiler.enable');
    return heap;
  }

  /** Bytes of the objects that are in use. */
  async bytes(): Promise<number> {
    await this.#ask('HeapProfiler.collectGarbage');
    const { usedSize } = await this.#ask('Runtime.getHeapUsage');
    return Number(usedSize);
  }

  /** Writes all of them, as the developer tools of a browser read it. */
  async write(file: string): Promise<void> {
    const chunks: string[] = [];
    this.#chunk = (text) => void chunks.push(text);
    await this.#ask('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
    fs.writeFileSync(file, chunks.join(''));
  }

  close(): void {
    this.socket.close();
  }

  #ask(method: string, params = {}): Promise<Readonly<Record<string, unknown>>> {
    const id = (this.#lastId += 1);
    return new Promise((resolve) => {
      this.#asked.set(id, (result) => {
        this.#asked.delete(id);
        resolve(result);
      });
      this.socket.send(JSON.stringify({ id, method, params }));
    });
  }
}
