// Files hold the thread while they are read, so they are read in the turn of who sends them.
import { expect, it } from 'vitest';
import {
  checkProto,
  readProtos,
  type InTurn,
} from '../../../src/areas/remote-services/proto-types.js';

const text = 'syntax = "proto3"; message M {} service S { rpc Do (M) returns (M); }';
const source = { filename: 'a.proto', content: Buffer.from(text) };

it('nothing of a file is read before its turn', async () => {
  const waiting: (() => void)[] = [];
  const inTurn: InTurn = (work) => new Promise((resolve) => waiting.push(() => resolve(work())));
  const checked = checkProto({ ...source, filename: 'a.proto' }, inTurn);
  const read = readProtos([source], inTurn);
  await expect.poll(() => waiting.length).toBe(2);
  for (const go of waiting.splice(0)) go();
  await checked;
  await expect.poll(() => waiting.length).toBe(1);
  for (const go of waiting.splice(0)) go();
  expect((await read).map(({ path }) => path)).toEqual(['/S/Do']);
});
