// Streams of events in pieces, with the thread free in between: the library checks each message as
// it comes, and a server may send a hundred thousand of them in one answer. All streams of a
// process take turns, and rest for as long as a piece took.
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { PluginServices } from '@downbeat/plugin';

type Fetch = ReturnType<PluginServices['client']['fetchFor']>;

/** Some hundred of the smallest messages. */
const pieceBytesMax = 16 * 1024;

/** When the streams' turns so far are over. */
let turns: Promise<void> = Promise.resolve();

/** As `fetch`; streams of events come in pieces. */
export function pacedFetch(fetch: Fetch): Fetch {
  return async (url, init) => paced(await fetch(url, init));
}

export function paced(response: Response): Response {
  const { body, status, statusText, headers } = response;
  const isStream = headers.get('content-type')?.includes('text/event-stream') === true;
  if (body === null || !isStream) return response;
  const pieces = new TransformStream<Uint8Array, Uint8Array>({
    async transform(chunk, controller) {
      for (let at = 0; at < chunk.length; at += pieceBytesMax) {
        await inTurn(() => controller.enqueue(chunk.subarray(at, at + pieceBytesMax)));
      }
    },
  });
  return new Response(body.pipeThrough(pieces), { status, statusText, headers });
}

function inTurn(hand: () => void): Promise<void> {
  const turn = turns.then(async () => {
    const begunAt = performance.now();
    hand();
    // Readers have dealt with it by then.
    await setImmediate();
    await setTimeout(performance.now() - begunAt);
  });
  turns = turn.catch(() => undefined);
  return turn;
}
