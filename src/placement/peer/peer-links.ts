// The links of a node to all others of its cluster: one connection to each member, made again when
// it is lost, for the calls and notices of this node. The members come from the store; one that
// restarted has another boot id, and is connected to anew. A node that leaves answers all that it
// was asked: the link to it is kept until it has.
import { connect, type Socket } from 'node:net';
import type { Clock, TimerHandle } from '../../std/clock.js';
import type { NodeIdentity } from '../../store/shard-store.js';
import { frameKind, type Frame } from './frames.js';
import {
  checkProof,
  createHello,
  HandshakeError,
  helloFrame,
  proofFrame,
  readHello,
  type Hello,
  type PeerIdentity,
} from './handshake.js';
import { PeerLink } from './peer-link.js';
import { placeOf } from './peer-place.js';
import { PeerSocket, type PeerLimits } from './peer-socket.js';
import {
  PeerError,
  type PeerCallOptions,
  type PeerHandler,
  type PeerOperation,
  type Peers,
} from './peers.js';

export interface PeerLinksParts {
  readonly clock: Clock;
  readonly limits: PeerLimits;
  /** A link could not be made or was lost: for the log. */
  readonly failed: (error: unknown) => void;
}

const redialMs = 100;
const redialMsMax = 1000;
/**
 * How long calls to a node that has left, and of one that stops, are waited for, ms: what they
 * change is durable or handed over by then, so their answers are on their way.
 */
export const farewellMs = 1000;

interface Member {
  readonly node: NodeIdentity;
  link: PeerLink | undefined;
  socket: PeerSocket | undefined;
  redial: TimerHandle | undefined;
  /** Ends the link to a node that has left. */
  farewell?: TimerHandle;
  failures: number;
}

export class PeerLinks implements Peers {
  readonly handlers = new Map<PeerOperation, PeerHandler>();
  readonly #members = new Map<string, Member>();
  readonly #upListeners: ((nodeId: string) => void)[] = [];
  readonly #downListeners: ((nodeId: string, refused: boolean) => void)[] = [];
  #closed = false;

  constructor(
    private readonly identity: PeerIdentity,
    private readonly parts: PeerLinksParts,
  ) {}

  get connected(): readonly string[] {
    const found: string[] = [];
    for (const [nodeId, { link }] of this.#members) if (link !== undefined) found.push(nodeId);
    return found;
  }

  handle(operation: PeerOperation, handler: PeerHandler): void {
    if (this.handlers.has(operation)) throw new Error(`Two handlers for ${operation}`);
    this.handlers.set(operation, handler);
  }

  onUp(listener: (nodeId: string) => void): void {
    this.#upListeners.push(listener);
  }

  onDown(listener: (nodeId: string, refused: boolean) => void): void {
    this.#downListeners.push(listener);
  }

  /** The members of the cluster as the store has them now; this node among them is passed over. */
  follow(members: readonly NodeIdentity[]): void {
    const wanted = new Map(members.map((node) => [node.nodeId, node]));
    wanted.delete(this.identity.nodeId);
    for (const [nodeId, member] of this.#members) {
      const node = wanted.get(nodeId);
      if (node?.bootId !== member.node.bootId || node.peerAddress !== member.node.peerAddress) {
        this.#retire(nodeId, member);
      }
    }
    for (const node of wanted.values()) {
      if (this.#members.has(node.nodeId) || this.#closed) continue;
      const member = newMember(node);
      this.#members.set(node.nodeId, member);
      this.#dial(member);
    }
  }

  async call(
    nodeId: string,
    operation: PeerOperation,
    body: unknown,
    options: PeerCallOptions,
  ): Promise<unknown> {
    const link = this.#members.get(nodeId)?.link;
    if (link === undefined) throw new PeerError('not-sent', `There is no link to node ${nodeId}`);
    return await link.call(operation, body, options);
  }

  notify(nodeId: string, operation: PeerOperation, body: unknown): boolean {
    return this.#members.get(nodeId)?.link?.notify(operation, body) ?? false;
  }

  /** Calls that wait for an answer get it, unless that takes longer than `farewellMs`. */
  close(): void {
    this.#closed = true;
    for (const [nodeId, member] of this.#members) this.#retire(nodeId, member);
  }

  #retire(nodeId: string, member: Member): void {
    const { link, socket, redial } = member;
    this.#members.delete(nodeId);
    redial?.cancel();
    if (link === undefined) return socket?.close(undefined);
    member.farewell = this.parts.clock.after(farewellMs, () => socket?.close(undefined));
    link.retire();
  }

  #isCurrent(member: Member): boolean {
    return this.#members.get(member.node.nodeId) === member;
  }

  #dial(member: Member): void {
    const connection = connect(placeOf(member.node.peerAddress));
    member.redial = undefined;
    new Dial(connection, this.identity, member.node, this.parts, {
      opened: (socket) => (member.socket = socket),
      up: (link) => {
        if (!this.#isCurrent(member)) return;
        member.link = link;
        member.failures = 0;
        for (const listener of this.#upListeners) listener(member.node.nodeId);
      },
      down: (error) => this.#lost(member, error),
    });
  }

  #lost(member: Member, error: Error | undefined): void {
    const { link } = member;
    member.link = undefined;
    member.socket = undefined;
    member.farewell?.cancel();
    link?.lost();
    if (!this.#isCurrent(member)) return;
    member.failures += 1;
    if (member.failures === 1 && error !== undefined) this.parts.failed(error);
    const refused = (error as NodeJS.ErrnoException | undefined)?.code === 'ECONNREFUSED';
    for (const listener of this.#downListeners) listener(member.node.nodeId, refused);
    const delayMs = Math.min(redialMs * 2 ** (member.failures - 1), redialMsMax);
    member.redial = this.parts.clock.after(delayMs, () => {
      if (this.#isCurrent(member) && !this.#closed) this.#dial(member);
    });
  }
}

function newMember(node: NodeIdentity): Member {
  return { node, link: undefined, socket: undefined, redial: undefined, failures: 0 };
}

interface DialEvents {
  opened(socket: PeerSocket): void;
  up(link: PeerLink): void;
  down(error: Error | undefined): void;
}

/** One attempt to connect to a member, and the connection that comes of it. */
class Dial {
  readonly #socket: PeerSocket;
  readonly #own: Hello;
  readonly #timer: TimerHandle;
  #listener: Hello | undefined;
  #link: PeerLink | undefined;

  constructor(
    connection: Socket,
    private readonly identity: PeerIdentity,
    private readonly node: NodeIdentity,
    private readonly parts: PeerLinksParts,
    private readonly events: DialEvents,
  ) {
    this.#own = createHello(identity);
    this.#socket = new PeerSocket(
      connection,
      parts.clock,
      parts.limits,
      (frame) => this.#receive(frame),
      (error) => {
        this.#timer.cancel();
        events.down(error);
      },
    );
    this.#timer = parts.clock.after(parts.limits.handshakeMs, () =>
      this.#socket.close(new Error(`Node ${node.nodeId} did not greet in time`)),
    );
    events.opened(this.#socket);
    connection.once('connect', () => this.#socket.send(helloFrame(this.#own)));
  }

  #receive(frame: Frame): void {
    if (this.#link !== undefined) {
      const isAnswer = frame[0] === frameKind.answer || frame[0] === frameKind.failure;
      if (!isAnswer) throw new Error(`A frame of kind ${frame[0]} from a node that was asked`);
      this.#link.answered(frame);
      return;
    }
    const { secret } = this.identity;
    if (this.#listener === undefined) {
      this.#listener = readHello(frame, this.identity);
      if (this.#listener.nodeId !== this.node.nodeId) {
        throw new HandshakeError(
          `At ${this.node.peerAddress} answers ${this.#listener.nodeId}, not ${this.node.nodeId}`,
        );
      }
      this.#socket.send(proofFrame(secret, 'dial', this.#own, this.#listener));
      return;
    }
    checkProof(frame, secret, 'listen', this.#own, this.#listener);
    this.#timer.cancel();
    this.#socket.trust();
    const { nodeId, bootId } = this.#listener;
    this.#link = new PeerLink(nodeId, bootId, this.#socket, this.parts.clock);
    this.events.up(this.#link);
  }
}
