// A client of a cluster: each request goes to the next node, as behind a balancer. What fails for
// reasons of the cluster (no connection, no answer, 503) may be repeated at the node after it.
import { ApiClient, type ApiAnswer } from '../../testkit/api-client.js';

export interface ClusterClientOptions {
  /** How often a failed request is repeated, each time at the next node. */
  readonly repeats?: number;
  readonly connections?: number;
  readonly requestTimeoutMs?: number;
}

export class ClusterClient extends ApiClient {
  readonly nodes: readonly ApiClient[];
  /** Requests that failed at the first node. */
  failedOnce = 0;
  /** Requests that failed at every node that was tried, in words. */
  readonly failures: string[] = [];
  readonly #repeats: number;
  #next = 0;

  constructor(urls: readonly string[], options: ClusterClientOptions = {}) {
    super(urls[0] ?? '');
    const { repeats = 0, ...others } = options;
    this.#repeats = repeats;
    this.nodes = urls.map((url) => new ApiClient(url, others));
  }

  override async close(): Promise<void> {
    await Promise.all([super.close(), ...this.nodes.map((node) => node.close())]);
  }

  override async request(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    body?: unknown,
    headers?: { readonly [name: string]: string },
  ): Promise<ApiAnswer> {
    const first = (this.#next += 1);
    for (let repeat = 0; ; repeat++) {
      const isLast = repeat >= this.#repeats;
      try {
        const answer = await this.#nodeAt(first + repeat).request(method, path, body, headers);
        if (answer.status !== 503) return answer;
        this.#failed(repeat, `${method} ${path}: ${answer.text}`);
        if (isLast) return answer;
      } catch (error) {
        this.#failed(repeat, `${method} ${path}: ${String(error)}`);
        if (isLast) throw error;
      }
    }
  }

  #failed(repeat: number, text: string): void {
    if (repeat === 0) this.failedOnce += 1;
    if (repeat >= this.#repeats) this.failures.push(text);
  }

  #nodeAt(index: number): ApiClient {
    return this.nodes[index % this.nodes.length] as ApiClient;
  }
}
