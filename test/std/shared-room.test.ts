import { describe, expect, it } from 'vitest';
import { SharedRoom } from '../../src/std/shared-room.js';

/** Takes one at a time until there is no more room for the caller; how many it got. */
function fill(room: SharedRoom, caller: string): number {
  let got = 0;
  for (; room.hasRoom(caller, 1); got++) room.take(caller, 1);
  return got;
}

describe('room that callers share', () => {
  it('gives one caller half, and a second one half of the rest, so that there is always some left', () => {
    const room = new SharedRoom(1000);
    expect(fill(room, 'a')).toBe(500);
    expect(fill(room, 'b')).toBe(250);
    expect(room.hasRoom('a', 1)).toBe(false);
    expect(fill(room, 'c')).toBeGreaterThan(100);
    room.release('a', 500);
    expect(room.hasRoom('b', 100)).toBe(true);
  });

  it('gives callers without a name all of it', () => {
    const room = new SharedRoom(10);
    expect(fill(room, '')).toBe(10);
    room.release('', 10);
    expect(room.taken).toBe(0);
  });

  it('lets who holds nothing take one thing that is larger than what is left', () => {
    const room = new SharedRoom(100);
    expect(room.hasRoom('a', 90)).toBe(true);
    room.take('a', 90);
    expect(room.hasRoom('a', 20)).toBe(false);
    expect(room.hasRoom('b', 20)).toBe(true);
    room.take('b', 20);
    expect(room.hasRoom('c', 1)).toBe(false);
  });
});
