// Parts are given what they need when they are built. Where two need each other, the one that is
// built first has a port (src/std/port.ts); each is named here with its reason.
import { expect, it } from 'vitest';
import { readModules } from './source-tree.js';

const ports: Readonly<Record<string, string>> = {
  'src/queue/poll-hub.ts': 'owners of attempts offer them to the queues, which ask the owners',
  'src/shard/execution-host.ts': 'executions start work that gives commands to executions',
};

it('are two, each with its reason', () => {
  const making = readModules('src')
    .filter(({ text }) => /new Port</.test(text))
    .map(({ path }) => path);
  expect(making).toEqual(Object.keys(ports));
});
