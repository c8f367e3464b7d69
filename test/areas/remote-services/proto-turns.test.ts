import { expect, it } from 'vitest';
import { readProtos } from '../../../src/areas/remote-services/proto-types.js';
import { systemClock } from '../../../src/std/clock.js';
import { ThreadTurns } from '../../../src/std/thread-turns.js';
import type { ProtoSource } from '../../../src/system-task/grpc-method.js';

/** A file of many messages, all of which are read before it is done. */
function source(file: number): ProtoSource {
  const messages = Array.from({ length: 500 }, (_, i) => `message F${file}M${i} { string a = 1; }`);
  const text = `syntax = "proto3"; package p${file};\n${messages.join('\n')}`;
  return { filename: `f${file}.proto`, content: Buffer.from(text) };
}

it('proto files leave the thread to others between two of them', async () => {
  const sources = Array.from({ length: 5 }, (_, i) => source(i));
  const turns = new ThreadTurns(systemClock);
  const inTurn = <T>(work: () => T): Promise<T> => turns.take('a', work);
  // The library is there from now on.
  await readProtos([source(9)], inTurn);
  let others = 0;
  let isOver = false;
  const other = (): void => {
    others += 1;
    if (!isOver) setImmediate(other);
  };
  setImmediate(other);
  const methods = await readProtos(sources, inTurn);
  isOver = true;
  expect(methods).toEqual([]);
  expect(others).toBeGreaterThan(sources.length);
});
