// A proxy before a server, which knows that a write is done there before its answer reaches the
// caller.
import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** Calls that ask by POST. */
const asks = /\/api\/secrets$|\/validate(?:\?|$)/;

/** `afterWrite` says whether the answer to a write, `PUT /path`, reaches the caller. */
export class Between {
  afterWrite: (call: string) => Promise<'lost' | 'kept'> = () => Promise.resolve('kept');
  readonly #listener: http.Server;

  private constructor(private readonly behind: string) {
    this.#listener = http.createServer((request, response) => this.#pass(request, response));
  }

  static async before(behind: string): Promise<Between> {
    const between = new Between(behind);
    await new Promise<void>((resolve) => {
      between.#listener.listen(0, '127.0.0.1', resolve);
    });
    return between;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#listener.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#listener.close();
    this.#listener.closeAllConnections();
  }

  #pass(request: http.IncomingMessage, response: http.ServerResponse): void {
    const { method = '', headers, url = '' } = request;
    const onward = http.request(this.behind + url, { method, headers }, (answer) => {
      void this.#fate(`${method} ${url}`).then((fate) => {
        if (fate === 'lost') {
          response.destroy();
          return;
        }
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.on('error', () => response.destroy());
        answer.pipe(response);
      });
    });
    onward.on('error', () => response.destroy());
    response.on('error', () => undefined);
    request.pipe(onward);
  }

  async #fate(call: string): Promise<'lost' | 'kept'> {
    return call.startsWith('GET ') || asks.test(call) ? 'kept' : await this.afterWrite(call);
  }
}
