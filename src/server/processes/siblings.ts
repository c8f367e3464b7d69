// All processes of a start as one of them sees them: it asks the supervisor, which asks each. So
// `/metrics` and `/health` say the same at whichever process a connection ends. A question that is
// under way is shared by all who ask meanwhile, so callers cannot make many of them.
import type { ProcessState } from '../../api/node-state.js';
import { AppError } from '../../model/errors.js';
import { faceMessage, OpenQuestions, type Question } from './messages.js';

/** Longer than the supervisor waits for a process (roll-call.ts). */
const answerMsMax = 2000;

/** The answers of this process about itself. */
export interface OwnAnswers {
  metrics(): Promise<string>;
  health(): ProcessState;
}

/** This process's end of the channel to its supervisor. */
export interface SupervisorChannel {
  readonly send: (message: unknown) => void;
  readonly onMessage: (hear: (message: unknown) => void) => void;
}

export class Siblings {
  readonly #questions = new OpenQuestions();
  readonly #underWay = new Map<Question, Promise<string | undefined>>();

  /** This process answers questions from now on. */
  constructor(
    private readonly channel: SupervisorChannel,
    private readonly own: OwnAnswers,
  ) {
    channel.onMessage((message) => this.#heard(message));
  }

  /** The metrics page of all processes. */
  async metrics(): Promise<string> {
    const text = await this.#ask('metrics');
    if (text !== undefined) return text;
    throw new AppError('unavailable', 'The supervisor of the processes does not answer');
  }

  /** Of all processes; of this one alone when the supervisor does not answer. */
  async health(): Promise<readonly ProcessState[]> {
    const text = await this.#ask('health');
    if (text !== undefined) return JSON.parse(text) as ProcessState[];
    return [this.own.health()];
  }

  #ask(question: Question): Promise<string | undefined> {
    const underWay = this.#underWay.get(question);
    if (underWay !== undefined) return underWay;
    const asked = this.#questions
      .ask(question, answerMsMax, this.channel.send)
      .finally(() => this.#underWay.delete(question));
    this.#underWay.set(question, asked);
    return asked;
  }

  #heard(received: unknown): void {
    const message = faceMessage(received);
    if (message === undefined) return;
    if (message.kind === 'answer') this.#questions.answered(message.id, message.text);
    else void this.#answer(message);
  }

  async #answer(asked: { id: number; question: Question }): Promise<void> {
    const { own } = this;
    const { id, question } = asked;
    try {
      const text = question === 'metrics' ? await own.metrics() : JSON.stringify(own.health());
      this.channel.send({ kind: 'answer', id, text });
    } catch {
      // The supervisor counts this process as one that does not answer.
    }
  }
}

/** Of this process, which a supervisor has started. */
export function supervisorChannel(): SupervisorChannel {
  return {
    send(message) {
      // A supervisor that has gone ends this process (run-server.ts).
      if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
    },
    onMessage(hear) {
      process.on('message', hear);
    },
  };
}
