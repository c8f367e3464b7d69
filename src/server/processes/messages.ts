// Messages between a supervisor and its processes: a process asks for what all processes tell
// together, the supervisor puts the question to each, and hands back what came.

export type Question = 'metrics' | 'health';

export type FaceMessage =
  /** To the supervisor: what do all say? To a process: what do you say? */
  | { readonly kind: 'ask'; readonly id: number; readonly question: Question }
  /** The answer to an `ask` of the other side. */
  | { readonly kind: 'answer'; readonly id: number; readonly text: string };

/** undefined: it is none. */
export function faceMessage(message: unknown): FaceMessage | undefined {
  if (typeof message !== 'object' || message === null || !('kind' in message)) return undefined;
  return message.kind === 'ask' || message.kind === 'answer' ? (message as FaceMessage) : undefined;
}

/** Questions that wait for their answers. */
export class OpenQuestions {
  readonly #open = new Map<number, (text: string | undefined) => void>();
  #lastId = 0;

  /** Sends by `send`; resolves with the answer, or with undefined when none comes in time. */
  ask(
    question: Question,
    timeoutMs: number,
    send: (message: FaceMessage) => void,
  ): Promise<string | undefined> {
    const id = ++this.#lastId;
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.answered(id, undefined), timeoutMs);
      this.#open.set(id, (text) => {
        clearTimeout(timer);
        resolve(text);
      });
      send({ kind: 'ask', id, question });
    });
  }

  answered(id: number, text: string | undefined): void {
    const resolve = this.#open.get(id);
    this.#open.delete(id);
    resolve?.(text);
  }

  /** Nobody is there to answer any more. */
  close(): void {
    for (const id of [...this.#open.keys()]) this.answered(id, undefined);
  }
}
