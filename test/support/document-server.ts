// A web server on loopback that serves documents by their path.
import http from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ServedDocument {
  readonly type: string;
  readonly body: string | Uint8Array;
  readonly status?: number;
}

export class DocumentServer {
  readonly documents = new Map<string, ServedDocument>();
  readonly #server = http.createServer((request, response) => {
    const found = this.documents.get(request.url ?? '');
    if (found === undefined) {
      response.writeHead(404).end('nothing here');
      return;
    }
    response.writeHead(found.status ?? 200, { 'Content-Type': found.type });
    response.end(found.body);
  });

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** The address of a document. */
  urlOf(path: string): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${path}`;
  }

  /** Serves a document; its address. */
  serve(path: string, type: string, body: string | Uint8Array): string {
    this.documents.set(path, { type, body });
    return this.urlOf(path);
  }
}
