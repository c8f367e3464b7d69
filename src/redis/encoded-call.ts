// Script calls in the form in which they go to Redis (RESP 2, an array of bulk strings), built at
// once. The client library makes several strings and buffers of each argument, which for a batch of
// commits with hundreds of keys took 4 % of the node.
import type { Writable } from 'node:stream';
import { Command } from 'ioredis';

export type Argument = string | number | Buffer;

/** Of a script. Several buffers are one argument, in their order. */
export type ScriptArgument = Argument | readonly Buffer[];

/** Buffers of so many bytes are written as they are; joining them would copy them. */
const joinedBytesMax = 64 * 1024;

const lineEnd = '\r\n';

/**
 * A command whose bytes are made already; `args` only says to the library which key decides about
 * the place in a cluster.
 */
class EncodedCommand extends Command {
  constructor(
    name: string,
    key: string | undefined,
    private readonly pieces: readonly Buffer[],
  ) {
    super(name, key === undefined ? ['', 0] : ['', 1, key], { replyEncoding: null });
  }

  /** The library writes what is returned behind what is written here. */
  override toWritable(socket: Writable): Buffer {
    const { pieces } = this;
    const last = pieces.length - 1;
    for (let i = 0; i < last; i++) socket.write(pieces[i]);
    return pieces[last] as Buffer;
  }
}

/** `EVALSHA` or `EVAL` of a script; bulk replies come as Buffers. */
export function encodedCall(
  name: 'EVALSHA' | 'EVAL',
  script: string,
  keys: readonly string[],
  args: readonly ScriptArgument[],
): Command {
  const chunks: Buffer[] = [];
  let text = `*${3 + keys.length + args.length}${lineEnd}`;
  text += bulk(name) + bulk(script) + bulk(String(keys.length));
  for (const key of keys) text += bulk(key);
  for (const arg of args) {
    if (typeof arg === 'object') {
      const buffers = Buffer.isBuffer(arg) ? [arg] : arg;
      const bytes = buffers.reduce((sum, { length }) => sum + length, 0);
      chunks.push(Buffer.from(`${text}$${bytes}${lineEnd}`), ...buffers);
      text = lineEnd;
    } else text += bulk(String(arg));
  }
  chunks.push(Buffer.from(text));
  return new EncodedCommand(name.toLowerCase(), keys[0], joined(chunks));
}

/** As few buffers as can be without copying long ones. */
function joined(chunks: readonly Buffer[]): Buffer[] {
  const pieces: Buffer[] = [];
  let from = 0;
  const join = (to: number): void => {
    if (to > from) pieces.push(Buffer.concat(chunks.slice(from, to)));
  };
  for (const [at, chunk] of chunks.entries()) {
    if (chunk.length < joinedBytesMax) continue;
    join(at);
    pieces.push(chunk);
    from = at + 1;
  }
  join(chunks.length);
  return pieces;
}

function bulk(text: string): string {
  return `$${Buffer.byteLength(text)}${lineEnd}${text}${lineEnd}`;
}
