// A stream of events is handed on in pieces, and others have their turn in between.
import { expect, it } from 'vitest';
import { paced } from '../src/paced-answer.js';

const bytes = 512 * 1024;

function answerOf(type: string): Response {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new Uint8Array(bytes).fill(97));
      controller.close();
    },
  });
  return new Response(body, { status: 202, headers: { 'content-type': type, 'x-own': 'kept' } });
}

/** Turns of the event loop that others have while the answers are read. */
async function turnsBeside(answers: readonly Response[]): Promise<number> {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const texts = await Promise.all(answers.map((answer) => answer.text()));
  isOver = true;
  expect(texts.map((text) => text.length)).toEqual(answers.map(() => bytes));
  return turns;
}

it('lets others have their turn between pieces, of several streams too', async () => {
  const stream = (): Response => paced(answerOf('text/event-stream; charset=utf-8'));
  const one = await turnsBeside([stream()]);
  expect(one).toBeGreaterThanOrEqual(32);
  expect(await turnsBeside([stream(), stream()])).toBeGreaterThanOrEqual(64);
});

it('leaves status and headers as they are, and other answers alone', async () => {
  const stream = paced(answerOf('text/event-stream'));
  expect([stream.status, stream.headers.get('x-own')]).toEqual([202, 'kept']);
  const json = answerOf('application/json');
  expect(paced(json)).toBe(json);
  await Promise.all([stream.text(), json.text()]);
});
