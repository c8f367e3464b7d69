// A call that one node makes to another where no wire lies between them.
import type { IncomingCall } from '../../src/placement/peer/peers.js';

/** `signal`: aborted when the caller no longer waits. */
export function incomingCall(nodeId: string, signal: AbortSignal): IncomingCall {
  return {
    nodeId,
    signal,
    get isCancelled() {
      return signal.aborted;
    },
  };
}
