// Accepts the connections of other nodes, on an address of its own that clients of the API do not
// know. A connection that does not prove in time to come from a node of this cluster is refused.
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
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

/** Connections that have not proved anything yet; more are turned away at once. */
const strangersMax = 100;

export class PeerListener {
  readonly #server: Server;
  readonly #sockets = new Set<PeerSocket>();
  #strangers = 0;

  constructor(
    private readonly identity: PeerIdentity,
    private readonly parts: PeerListenerParts,
  ) {
    this.#server = createServer((socket) => this.#accept(socket));
  }

  /** Resolves with the port. Rejects when the address cannot be listened on. */
  listen(host: string, port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, () => {
        this.#server.off('error', reject);
        this.#server.on('error', this.parts.failed);
        resolve((this.#server.address() as AddressInfo).port);
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
    if (this.#strangers >= strangersMax) {
      connection.destroy();
      return;
    }
    const { clock, limits, failed } = this.parts;
    const own = createHello(this.identity);
    let dialler: Hello | undefined;
    let session: PeerSession | undefined;
    this.#strangers += 1;
    const known = (): void => {
      timer.cancel();
      this.#strangers -= 1;
    };
    const socket: PeerSocket = new PeerSocket(
      connection,
      clock,
      limits,
      (frame: Frame) => {
        if (session !== undefined) return session.received(frame);
        if (dialler === undefined) {
          dialler = readHello(frame, this.identity);
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
        if (error !== undefined) failed(error);
      },
    );
    const timer = clock.after(limits.handshakeMs, () =>
      socket.close(new Error('A connection did not say in time which node it is')),
    );
    this.#sockets.add(socket);
  }
}
