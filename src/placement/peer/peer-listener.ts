// Accepts the connections of other nodes, on an address of its own that clients of the API do not
// know. A connection that does not prove in time to come from a node of this cluster is refused.
//
// Until then it counts as a stranger's, and the number of strangers is bounded. A new connection is
// always accepted: in its place the oldest one of the address with the most strangers is closed,
// and one that has sent the greeting of a node only when no other is left. A node greets with its
// first bytes, so strangers that only connect cannot keep it out, from its own address either.
import { rmSync } from 'node:fs';
import {
  createServer,
  type AddressInfo,
  type ListenOptions,
  type Server,
  type Socket,
} from 'node:net';
import type { Clock } from '../../std/clock.js';
import type { Frame } from './frames.js';
import {
  checkProof,
  createHello,
  helloFrame,
  proofFrame,
  readHello,
  type Hello,
  type PeerIdentity,
} from './handshake.js';
import { PeerSession } from './peer-session.js';
import { PeerSocket, type PeerLimits } from './peer-socket.js';
import type { PeerHandler, PeerOperation } from './peers.js';

export interface PeerListenerParts {
  readonly clock: Clock;
  readonly limits: PeerLimits;
  readonly handlers: ReadonlyMap<PeerOperation, PeerHandler>;
  /** A peer was turned away, or a handler failed: for the log. */
  readonly failed: (error: unknown) => void;
}

/** Connections that have not proved anything yet; above this number the oldest is closed. */
const strangersMax = 100;
/** Failures of strangers are told once in this time, ms: anybody can cause them. */
const tellEveryMs = 1000;

interface Stranger {
  readonly address: string;
  /** It has sent the greeting of a node of this cluster. */
  hasGreeted: boolean;
  readonly close: () => void;
}

export class PeerListener {
  readonly #server: Server;
  readonly #sockets = new Set<PeerSocket>();
  /** The oldest first. */
  readonly #strangers = new Set<Stranger>();
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly identity: PeerIdentity,
    private readonly parts: PeerListenerParts,
  ) {
    this.#server = createServer((socket) => this.#accept(socket));
  }

  /** Resolves with the port. Rejects when the address cannot be listened on. */
  async listen(host: string, port: number): Promise<number> {
    await this.#listen({ host, port });
    return (this.#server.address() as AddressInfo).port;
  }

  /**
   * Listens on a Unix socket, for nodes of this machine, in place of a process that was killed.
   * Rejects when that cannot be.
   */
  listenAt(path: string): Promise<void> {
    rmSync(path, { force: true });
    return this.#listen({ path });
  }

  #listen(place: ListenOptions): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(place, () => {
        this.#server.off('error', reject);
        this.#server.on('error', this.parts.failed);
        resolve();
      });
    });
  }

  /**
   * Accepts no more connections, and ends those that the other nodes have not ended after
   * `farewellMs`: until then their calls are answered.
   */
  async close(farewellMs = 0): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    const end = (): void => {
      for (const socket of this.#sockets) socket.close(undefined);
    };
    if (farewellMs === 0) end();
    const timer = this.parts.clock.after(farewellMs, end);
    await closed;
    timer.cancel();
  }

  #accept(connection: Socket): void {
    if (this.#strangers.size >= strangersMax) this.#leastWanted()?.close();
    const { clock, limits, failed } = this.parts;
    const own = createHello(this.identity);
    let dialler: Hello | undefined;
    let session: PeerSession | undefined;
    const stranger: Stranger = {
      address: connection.remoteAddress ?? '',
      hasGreeted: false,
      close: () => socket.close(undefined),
    };
    const known = (): void => {
      timer.cancel();
      this.#strangers.delete(stranger);
    };
    const socket: PeerSocket = new PeerSocket(
      connection,
      clock,
      limits,
      (frame: Frame) => {
        if (session !== undefined) return session.received(frame);
        if (dialler === undefined) {
          dialler = readHello(frame, this.identity);
          stranger.hasGreeted = true;
          socket.send(helloFrame(own));
          return;
        }
        const { secret } = this.identity;
        checkProof(frame, secret, 'dial', dialler, own);
        session = new PeerSession(dialler.nodeId, socket, this.parts.handlers, limits, failed);
        known();
        socket.trust();
        socket.send(proofFrame(secret, 'listen', dialler, own));
      },
      (error) => {
        this.#sockets.delete(socket);
        if (session === undefined) known();
        session?.lost();
        if (error === undefined) return;
        if (session !== undefined) failed(error);
        else this.#strangerFailed(error);
      },
    );
    const timer = clock.after(limits.handshakeMs, () =>
      socket.close(new Error('A connection did not say in time which node it is')),
    );
    this.#sockets.add(socket);
    this.#strangers.add(stranger);
  }

  /** Whom to close for a newcomer. */
  #leastWanted(): Stranger | undefined {
    const silent = [...this.#strangers].filter(({ hasGreeted }) => !hasGreeted);
    const candidates = silent.length > 0 ? silent : [...this.#strangers];
    const counts = new Map<string, number>();
    for (const { address } of candidates) counts.set(address, (counts.get(address) ?? 0) + 1);
    const most = Math.max(...counts.values());
    return candidates.find(({ address }) => counts.get(address) === most);
  }

  #strangerFailed(error: Error): void {
    const now = this.parts.clock.monotonic();
    if (now - this.#toldAt < tellEveryMs) return;
    this.#toldAt = now;
    this.parts.failed(error);
  }
}
