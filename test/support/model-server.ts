// A provider of models on loopback that speaks the protocol of OpenAI: chat completions, streamed
// or whole, embeddings, images, speech and videos. Its answer follows from the request, and a test
// may put other answers in front.
import http from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  // What the protocol's fields hold differs from request to request.
  readonly body: any; // eslint-disable-line @typescript-eslint/no-explicit-any
}

export type Answer = (response: http.ServerResponse, asked: Asked) => void;

/** The smallest picture that is one: a PNG of one pixel. */
export const onePixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

export class ModelServer {
  readonly asked: Asked[] = [];
  /** Answers of the next requests, before those that follow from the request. */
  readonly next: Answer[] = [];
  readonly #server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const { method = '', url: path = '', headers } = request;
      const asked = { method, path, headers, body: text === '' ? undefined : JSON.parse(text) };
      this.asked.push(asked);
      (this.next.shift() ?? usual)(response, asked);
    });
  });

  /** Without a path, as an administrator would write it. */
  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The newest request. */
  get last(): Asked {
    const [last] = this.asked.slice(-1);
    if (last === undefined) throw new Error('The provider was not asked');
    return last;
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

export function answerJson(body: unknown, status = 200, headers: object = {}): Answer {
  return (response) => {
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
}

/** Streams the pieces as events; `[DONE]` follows unless the stream breaks off. */
export function answerStream(events: readonly unknown[], breaksOff = false): Answer {
  return (response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    for (const event of events) response.write(`data: ${JSON.stringify(event)}\n\n`);
    response.end(breaksOff ? '' : 'data: [DONE]\n\n');
  };
}

/** A streamed completion, one event for each word. */
export function answerText(text: string): Answer {
  const words = text.split(/(?<= )/);
  return answerStream([
    ...words.map((content) => ({ choices: [{ index: 0, delta: { content } }] })),
    { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    { choices: [], usage: { prompt_tokens: 7, completion_tokens: words.length } },
  ]);
}

/** Never answers. */
export const silence: Answer = (response) => void response.flushHeaders();

/** A vector in which texts with the same words are near: a count for each letter. */
export function vectorOf(text: string, dimensions = 26): number[] {
  const vector = new Array<number>(dimensions).fill(0);
  for (const letter of text.toLowerCase()) {
    const place = letter.charCodeAt(0) - 97;
    if (place >= 0 && place < dimensions) vector[place] = (vector[place] ?? 0) + 1;
  }
  return vector;
}

function usual(response: http.ServerResponse, asked: Asked): void {
  const { body, path } = asked;
  if (path.endsWith('/chat/completions')) {
    const [last] = (body.messages as { content: unknown }[]).slice(-1);
    return answerText(`echo: ${JSON.stringify(last?.content)}`)(response, asked);
  }
  if (path.endsWith('/embeddings')) {
    const texts = body.input as string[];
    const data = texts.map((text, index) => ({
      index,
      embedding: vectorOf(text, body.dimensions as number | undefined),
    }));
    return answerJson({ data, usage: { prompt_tokens: texts.length } })(response, asked);
  }
  if (path.endsWith('/images/generations')) {
    return answerJson({ data: [{ b64_json: onePixel }] })(response, asked);
  }
  if (path.endsWith('/audio/speech')) {
    response.writeHead(200, { 'Content-Type': 'audio/mpeg' });
    return void response.end(`spoken: ${body.input as string}`);
  }
  answerJson({ error: { message: `no ${path}` } }, 404)(response, asked);
}
