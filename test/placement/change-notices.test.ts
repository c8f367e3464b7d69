// A change is told to the nodes that can be asked, and waits for none of them for ever.
import { expect, it } from 'vitest';
import {
  answerChanges,
  changeNoticeMs,
  tellingOthers,
} from '../../src/placement/change-notices.js';
import type { PeerCallOptions } from '../../src/placement/peer/peers.js';
import { MemoryNetwork, type MemoryPeers } from './memory-network.js';

function follower(peers: MemoryPeers, refresh: () => Promise<void>): string[] {
  const followed: string[] = [];
  const following = (what: string) => ({
    refresh: async () => {
      await refresh();
      followed.push(what);
    },
  });
  answerChanges(peers, { definitions: following('definitions'), records: following('records') });
  return followed;
}

it('a change has been followed by all other nodes, but those that fail, when it is told', async () => {
  const network = new MemoryNetwork();
  const here = network.node('here');
  const [near, broken] = [network.node('near'), network.node('broken')];
  const followed = follower(near, () => new Promise((resolve) => setImmediate(resolve)));
  follower(broken, () => Promise.reject(new Error('the store is away')));
  for (const { nodeId } of [near, broken]) here.up(nodeId);
  const asked: PeerCallOptions[] = [];
  const call = here.call.bind(here);
  here.call = (nodeId, operation, body, options?: PeerCallOptions) => {
    if (options !== undefined) asked.push(options);
    return call(nodeId, operation, body);
  };
  const tell = tellingOthers(here);
  await tell('records');
  expect(followed).toEqual(['records']);
  await tell('definitions');
  expect(followed).toEqual(['records', 'definitions']);
  expect(asked).toEqual(Array.from({ length: 4 }, () => ({ timeoutMs: changeNoticeMs })));
});

it('a node alone has nobody to tell', async () => {
  const alone = new MemoryNetwork().node('alone');
  await expect(tellingOthers(alone)('records')).resolves.toBeUndefined();
});
