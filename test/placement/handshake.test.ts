// The proof by which two nodes recognise each other is good for one connection, in one direction.
import { describe, expect, it } from 'vitest';
import {
  checkProof,
  createHello,
  HandshakeError,
  proofFrame,
  type PeerIdentity,
} from '../../src/placement/peer/handshake.js';

const secret = Buffer.alloc(32, 1);
const identity = (nodeId: string): PeerIdentity => ({ nodeId, bootId: 'b', cluster: 'c', secret });

describe('the proof of a peer', () => {
  const dialler = createHello(identity('one'));
  const listener = createHello(identity('other'));
  const recorded = proofFrame(secret, 'dial', dialler, listener);

  it('holds on its connection', () => {
    expect(() => checkProof(recorded, secret, 'dial', dialler, listener)).not.toThrow();
  });

  it.each([
    ['replayed to the same node', 'dial', dialler, createHello(identity('other'))],
    ['sent back to its sender', 'listen', dialler, listener],
    ['replayed to another node', 'dial', dialler, { ...listener, nodeId: 'third' }],
  ] as const)('is refused when it is %s', (_, side, from, to) => {
    expect(() => checkProof(recorded, secret, side, from, to)).toThrow(HandshakeError);
  });

  it('is refused when it was made with another secret', () => {
    const forged = proofFrame(Buffer.alloc(32, 2), 'dial', dialler, listener);
    expect(() => checkProof(forged, secret, 'dial', dialler, listener)).toThrow(HandshakeError);
  });
});
