// One process of several: started, started again when it dies, ended in good order. A process that
// dies before it serves is waited for longer each time, and given up after `startsMax` in a row
// when it has never served.
import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { faceMessage, OpenQuestions, type FaceMessage, type Question } from './messages.js';
import type { Called } from './roll-call.js';
import { type ProcessSeat, servingMessage } from './seat.js';

const program = fileURLToPath(new URL('server-process.js', import.meta.url));
const pauseMsMin = 100;
const pauseMsMax = 10_000;
const startsMax = 5;
/** A setting cannot be used: no further start helps. */
const settingRefused = 2;

export interface MemberParts {
  readonly args: readonly string[];
  /** How long it may take to end before it is killed. */
  readonly stopMsMax: number;
  readonly tell: (level: 'info' | 'warn' | 'error', message: string) => void;
  /** It is not started any more; with the exit code for the whole server. */
  readonly gaveUp: (code: number) => void;
  /** The joint answer of all processes. */
  readonly together: (question: Question) => Promise<string>;
  /** Its process has ended. */
  readonly ended: () => void;
  /** Whether a process of the server serves, so that a start need not tell callers to wait. */
  readonly othersServe: () => boolean;
}

export class Member implements Called {
  #child: ChildProcess | undefined;
  #ended: Promise<void> = Promise.resolve();
  /** It is not to run: its end is wanted. */
  #leaving = false;
  #hasServed = false;
  /** Ends in a row without service. */
  #failures = 0;
  #pause: NodeJS.Timeout | undefined;
  #served: (() => void)[] = [];
  #isServing = false;
  readonly #questions = new OpenQuestions();

  constructor(
    private readonly seat: Omit<ProcessSeat, 'listensEarly'>,
    private readonly parts: MemberParts,
  ) {}

  get nodeId(): string {
    return this.seat.nodeId;
  }

  get isServing(): boolean {
    return this.#isServing;
  }

  ask(question: Question, timeoutMs: number): Promise<string | undefined> {
    const child = this.#child;
    if (child === undefined || !this.#isServing) return Promise.resolve(undefined);
    return this.#questions.ask(question, timeoutMs, (message) => tell(child, message));
  }

  /** Resolves once it serves. */
  start(): Promise<void> {
    this.#leaving = false;
    const serves = new Promise<void>((resolve) => this.#served.push(resolve));
    this.#launch();
    return serves;
  }

  /** Ends it in good order; by force when that takes too long. */
  async stop(): Promise<void> {
    this.#leaving = true;
    clearTimeout(this.#pause);
    const child = this.#child;
    child?.kill('SIGTERM');
    const timer = setTimeout(() => child?.kill('SIGKILL'), this.parts.stopMsMax);
    await this.#ended;
    clearTimeout(timer);
  }

  #launch(): void {
    const { number, nodeId, storeUrl } = this.seat;
    // In a session of its own, so that an interrupt from the terminal reaches the supervisor only.
    const listens = this.parts.othersServe() ? 'late' : 'early';
    const seat = [String(number), nodeId, storeUrl, listens];
    const child = fork(program, [...seat, ...this.parts.args], { detached: true });
    this.#child = child;
    child.on('message', (message) => {
      if (message === servingMessage) this.#serves();
      else void this.#heard(child, faceMessage(message));
    });
    this.#ended = new Promise((resolve) => {
      const end = (how: string, code: number | null): void => {
        if (this.#child !== child) return;
        this.#child = undefined;
        this.#isServing = false;
        this.#questions.close();
        this.parts.ended();
        resolve();
        if (!this.#leaving) this.#died(how, code);
      };
      child.once('error', (error) => end(error.message, null));
      child.once('exit', (code, signal) => end(signal ?? `exit code ${code}`, code));
    });
  }

  #serves(): void {
    this.#hasServed = true;
    this.#isServing = true;
    this.#failures = 0;
    for (const resolve of this.#served.splice(0)) resolve();
  }

  async #heard(child: ChildProcess, message: FaceMessage | undefined): Promise<void> {
    if (message?.kind === 'answer') this.#questions.answered(message.id, message.text);
    else if (message !== undefined) {
      const text = await this.parts.together(message.question);
      tell(child, { kind: 'answer', id: message.id, text });
    }
  }

  #died(how: string, code: number | null): void {
    const { nodeId } = this.seat;
    this.#failures++;
    const isHopeless = code === settingRefused || this.#failures >= startsMax;
    if (!this.#hasServed && isHopeless) {
      this.parts.tell('error', `${nodeId} does not start (${how})`);
      this.parts.gaveUp(code ?? 1);
      return;
    }
    const pauseMs = Math.min(pauseMsMin * 2 ** (this.#failures - 1), pauseMsMax);
    this.parts.tell('warn', `${nodeId} ended (${how}) and is started again in ${pauseMs} ms`);
    this.#pause = setTimeout(() => this.#launch(), pauseMs);
  }
}

/** A process that has gone meanwhile does not hear it. */
function tell(child: ChildProcess, message: FaceMessage): void {
  if (child.connected) child.send(message, () => undefined);
}
