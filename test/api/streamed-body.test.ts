// What waits for a slow reader of a streamed body, against a library whose buffer the test fills.
import { describe, expect, it } from 'vitest';
import { StreamedBody } from '../../src/api/streamed-body.js';

interface Port {
  readonly calls: string[];
  /** Whether the buffer takes more. */
  hasRoom: boolean;
}

function bodyOf(bytesUnsentMax = 100): { body: StreamedBody; port: Port } {
  const port: Port = { calls: [], hasRoom: true };
  const body = new StreamedBody(
    {
      write: (bytes) => {
        port.calls.push(
          bytes.length > 20 ? `${bytes.length} bytes` : Buffer.from(bytes).toString(),
        );
        return port.hasRoom;
      },
      flush: () => port.calls.push('flush'),
      end: () => port.calls.push('end'),
      close: () => port.calls.push('close'),
    },
    bytesUnsentMax,
  );
  return { body, port };
}

describe('a streamed body', () => {
  it('keeps pieces while the library is full and sends them in order', async () => {
    const { body, port } = bodyOf();
    port.hasRoom = false;
    expect([body.write('a'), body.write('b'), body.write('c')]).toEqual([true, true, true]);
    expect(port.calls).toEqual(['a']);
    let drained = false;
    const all = body.drained().then(() => (drained = true));
    port.hasRoom = true;
    await Promise.resolve();
    expect(drained).toBe(false);
    body.writable();
    expect(port.calls).toEqual(['a', 'b', 'c']);
    await all;
    body.writable();
    expect(port.calls).toEqual(['a', 'b', 'c', 'flush']);
  });

  it('hands a large piece over in slices, and takes one beyond the limit', () => {
    const { body, port } = bodyOf();
    port.hasRoom = false;
    expect(body.write(Buffer.alloc(40_000))).toBe(true);
    expect(port.calls).toEqual(['16384 bytes']);
    port.hasRoom = true;
    body.writable();
    expect(port.calls).toEqual(['16384 bytes', '16384 bytes', '7232 bytes']);
    expect(body.write('next')).toBe(true);
  });

  it('is closed by a piece for which too much waits', () => {
    const { body, port } = bodyOf();
    port.hasRoom = false;
    const closes: string[] = [];
    body.onClose(() => closes.push('told'));
    expect(body.write('a')).toBe(true);
    expect(body.write('x'.repeat(101))).toBe(true);
    expect(body.write('y')).toBe(false);
    expect(port.calls).toEqual(['a', 'close']);
    expect(closes).toEqual(['told']);
    body.writable();
    expect(body.write('z')).toBe(false);
    expect(port.calls).toEqual(['a', 'close']);
  });

  it('ends when everything has been handed over', () => {
    const { body, port } = bodyOf();
    port.hasRoom = false;
    body.write('a');
    body.write('b');
    body.end();
    expect(body.write('late')).toBe(false);
    expect(port.calls).toEqual(['a']);
    port.hasRoom = true;
    body.writable();
    expect(port.calls).toEqual(['a', 'b', 'end']);
    body.end();
    expect(port.calls).toEqual(['a', 'b', 'end']);
  });

  it('never writes an empty piece, which would end it', () => {
    const { body, port } = bodyOf();
    expect(body.write('')).toBe(true);
    expect(port.calls).toEqual([]);
  });
});
