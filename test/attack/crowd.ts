// Connections of one flooder, and the clock that ends its flood.
import { setTimeout as wait } from 'node:timers/promises';
import { HttpSocket } from '../../bench/http-socket.js';

export interface CrowdAnswer {
  /** 0: the connection was closed. */
  readonly status: number;
  readonly body: string;
}

export interface CrowdSettings {
  readonly port: number;
  readonly token: string;
  readonly connections: number;
  /** Ids of executions whose controls must get through. */
  readonly hold: (id: string) => void;
}

export class Crowd {
  readonly counts: Record<string, number> = {};
  /** Resolves when the flood is over. */
  readonly over: Promise<void>;
  isOver = false;
  #end: () => void = () => undefined;
  #opened = 0;
  readonly #idle: HttpSocket[] = [];
  readonly #underWay = new Map<HttpSocket, (answer: CrowdAnswer) => void>();
  #waiting: (() => void)[] = [];

  constructor(private readonly settings: CrowdSettings) {
    this.over = new Promise((resolve) => (this.#end = resolve));
  }

  end(): void {
    this.isOver = true;
    this.#end();
    for (const resolve of this.#waiting.splice(0)) resolve();
    for (const [socket, resolve] of [...this.#underWay]) {
      socket.close();
      resolve({ status: 0, body: '' });
    }
    for (const socket of this.#idle) socket.close();
  }

  count(what: string): void {
    this.counts[what] = (this.counts[what] ?? 0) + 1;
  }

  hold(id: string): void {
    this.settings.hold(id);
  }

  /** So many at a time repeat `work` until the flood is over. */
  async each(count: number, work: () => Promise<void>): Promise<void> {
    const one = async (): Promise<void> => {
      while (!this.isOver) await work();
    };
    await Promise.all(Array.from({ length: count }, one));
  }

  /** Resolves after so many ms, or when the flood is over. */
  async pause(ms: number): Promise<void> {
    await Promise.race([wait(ms, undefined, { ref: false }), this.over]);
  }

  /** What it returns resolves at most so often a second, a call of it `weight` times as late. */
  beat(perSecond: number): (weight: number) => Promise<void> {
    let next = performance.now();
    return async (weight) => {
      const now = performance.now();
      next = Math.max(next, now - 50) + (weight * 1000) / perSecond;
      if (next > now + 2) await this.pause(next - now);
    };
  }

  /** Waits for an idle connection; once the flood is over, answers at once with 0. */
  async send(
    method: 'GET' | 'POST',
    path: string,
    body?: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<CrowdAnswer> {
    const socket = await this.#socket();
    if (socket === undefined) return { status: 0, body: '' };
    const further = Object.entries({ 'X-Authorization': this.settings.token, ...headers });
    const head =
      `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n` +
      further.map(([name, value]) => `${name}: ${value}\r\n`).join('') +
      (body === undefined
        ? ''
        : `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`);
    return new Promise((resolve) => {
      this.#underWay.set(socket, resolve);
      socket.send(`${head}\r\n${body ?? ''}`, (status, text) => {
        this.#underWay.delete(socket);
        this.#idle.push(socket);
        this.#waiting.shift()?.();
        resolve({ status, body: text });
      });
    });
  }

  async #socket(): Promise<HttpSocket | undefined> {
    while (!this.isOver) {
      const idle = this.#idle.pop();
      if (idle !== undefined) return idle;
      if (this.#opened < this.settings.connections) {
        this.#opened += 1;
        return this.#open();
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    return undefined;
  }

  #open(): HttpSocket {
    const socket = new HttpSocket(this.settings.port, () => {
      const resolve = this.#underWay.get(socket);
      this.#underWay.delete(socket);
      socket.close();
      this.#opened -= 1;
      this.count('connection closed');
      this.#waiting.shift()?.();
      resolve?.({ status: 0, body: '' });
    });
    return socket;
  }
}
