// How two nodes recognise each other. Both prove that they know the cluster's secret without
// sending it: each signs the other's nonce, both ids and its own role, so that a proof fits one
// connection and one direction only. A peer of another protocol version, of another cluster, or
// without the secret is refused with a sentence for the log.
//
//   dialler                     listener
//   hello(nonce a)       ->
//                        <-     hello(nonce b)
//   proof(a, b, dial)    ->
//                        <-     proof(a, b, listen)
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { frameKind, type Frame } from './frames.js';

/** Raised when frames change their meaning; nodes of other versions are not spoken to. */
export const peerVersion = 1;

export interface PeerIdentity {
  readonly nodeId: string;
  readonly bootId: string;
  /** Identity of the store that the cluster works on. */
  readonly cluster: string;
  readonly secret: Buffer;
}

export interface Hello {
  readonly version: number;
  readonly nodeId: string;
  readonly bootId: string;
  readonly nonce: string;
  readonly cluster: string;
}

export type Side = 'dial' | 'listen';

export function createHello(identity: PeerIdentity): Hello {
  const { nodeId, bootId, cluster } = identity;
  return { version: peerVersion, nodeId, bootId, nonce: randomBytes(16).toString('hex'), cluster };
}

export function helloFrame(hello: Hello): Frame {
  const { version, nodeId, bootId, nonce, cluster } = hello;
  return [frameKind.hello, version, nodeId, bootId, nonce, cluster];
}

/** A peer that is not spoken to, and why. */
export class HandshakeError extends Error {
  override name = 'HandshakeError';
}

/** Throws HandshakeError when the frame is no greeting of a node of this cluster. */
export function readHello(frame: Frame, own: PeerIdentity): Hello {
  const [kind, version, nodeId, bootId, nonce, cluster] = frame;
  if (kind !== frameKind.hello) throw new HandshakeError('The peer did not say hello first');
  if (version !== peerVersion) {
    throw new HandshakeError(
      `The peer speaks version ${String(version)} of the node protocol, this node ${peerVersion}`,
    );
  }
  const texts = [nodeId, bootId, nonce, cluster];
  if (!texts.every((each) => typeof each === 'string' && each !== '' && each.length <= 200)) {
    throw new HandshakeError('The greeting of the peer is incomplete');
  }
  if (cluster !== own.cluster) throw new HandshakeError('The peer works on another store');
  return { version, nodeId, bootId, nonce, cluster } as Hello;
}

/** Proof that the node on `side` knows the secret. */
export function proofFrame(secret: Buffer, side: Side, dialler: Hello, listener: Hello): Frame {
  return [frameKind.proof, proofOf(secret, side, dialler, listener)];
}

/** Throws HandshakeError unless the frame proves that the node on `side` knows the secret. */
export function checkProof(
  frame: Frame,
  secret: Buffer,
  side: Side,
  dialler: Hello,
  listener: Hello,
): void {
  const [kind, proof] = frame;
  const expected = Buffer.from(proofOf(secret, side, dialler, listener));
  const given = Buffer.from(typeof proof === 'string' ? proof : '');
  const fits = given.length === expected.length && timingSafeEqual(given, expected);
  if (kind !== frameKind.proof || !fits) {
    throw new HandshakeError('The peer does not know the secret of this cluster');
  }
}

function proofOf(secret: Buffer, side: Side, dialler: Hello, listener: Hello): string {
  const parts = [
    side,
    dialler.nodeId,
    dialler.bootId,
    dialler.nonce,
    listener.nodeId,
    listener.bootId,
    listener.nonce,
  ];
  return createHmac('sha256', secret).update(JSON.stringify(parts)).digest('hex');
}
