// An address for outgoing webhooks: keeps what it is sent and answers as the test says.
import { createHmac } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '../../testkit/until.js';

export interface ReceivedDelivery {
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
  /** Parsed body. */
  readonly type: string;
  readonly data: any; // eslint-disable-line @typescript-eslint/no-explicit-any
}

export class DeliveryReceiver {
  readonly received: ReceivedDelivery[] = [];
  /** Status of the next answers. */
  status = 200;
  readonly #server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const { type, data } = JSON.parse(body) as ReceivedDelivery;
      this.received.push({ headers: request.headers, body, type, data });
      response.writeHead(this.status);
      response.end();
    });
  });

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/told`;
  }

  /** The first delivery that fits, also one that has come already. */
  next(what: string, fits: (delivery: ReceivedDelivery) => boolean): Promise<ReceivedDelivery> {
    return until(`the delivery: ${what}`, () => this.received.find(fits));
  }
}

/** The signature that a delivery must have, computed as a receiver would. */
export function expectedSignature(secret: string, { headers, body }: ReceivedDelivery): string {
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : secret;
  const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
}
