// The supervisor's part of one `/metrics` and one `/health` for all processes: it puts the question
// of one process to each, waits a bounded time, and hands back one answer, in which a process that
// is missing is named.
import type { ProcessState } from '../../api/node-state.js';
import { SummedPages } from '../../telemetry/summed-pages.js';
import { everyMetric } from '../every-metric.js';
import type { Question } from './messages.js';

/** A process that has not answered by then is told as missing. */
const answerMsMax = 1000;

/** One of the processes, whether it runs or not. */
export interface Called {
  readonly nodeId: string;
  /** The answer of this process; undefined: it does not answer. */
  ask(question: Question, timeoutMs: number): Promise<string | undefined>;
}

export class RollCall {
  readonly #pages = new SummedPages(everyMetric);

  constructor(private readonly processes: () => readonly Called[]) {}

  /** The joint answer of all processes. */
  async together(question: Question): Promise<string> {
    const answers = await Promise.all(
      this.processes().map(async (one) => ({
        process: one.nodeId,
        text: await one.ask(question, answerMsMax),
      })),
    );
    if (question === 'metrics') return this.#pages.text(answers);
    return JSON.stringify(
      answers.map(({ process, text }) =>
        text === undefined ? missing(process) : (JSON.parse(text) as ProcessState),
      ),
    );
  }

  /** A process has ended. */
  ended(nodeId: string): void {
    this.#pages.ended(nodeId);
  }
}

function missing(node: string): ProcessState {
  return { node, healthy: false, why: 'It is not running, is starting, or does not answer' };
}
