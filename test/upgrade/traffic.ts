// Starts and workers that go on while nodes are replaced: a request that one node does not take is
// repeated at the other, as clients behind a balancer do.
import { pause, until } from '../../testkit/until.js';
import type { WireTask } from '../../testkit/wire.js';

/** Between two starts, so that what is started can be looked at one by one afterwards. */
const pauseMs = 20;
const workerCount = 3;
const requestMsMax = 5_000;

interface TrafficSettings {
  /** Of the nodes. */
  readonly urls: readonly string[];
  /** Started again and again. */
  readonly workflow: string;
  /** What the workers poll for, and complete. */
  readonly taskType: string;
}

export class Traffic {
  readonly #started: string[] = [];
  #reported = 0;
  #turn = 0;
  #starts = true;
  #works = true;
  readonly #starting: Promise<void>;
  readonly #working: Promise<unknown>;

  /** Begins at once. */
  constructor(private readonly settings: TrafficSettings) {
    this.#starting = this.#start();
    this.#working = Promise.all(Array.from({ length: workerCount }, () => this.#work()));
  }

  /** Resolves once starts and reports have gone on after this call, at whichever node. */
  async goesOn(): Promise<void> {
    const [started, reported] = [this.#started.length, this.#reported];
    await until('starts and reports to go on', () => {
      return this.#started.length > started + 5 && this.#reported > reported + 5;
    });
  }

  /** Resolves with the ids of all starts that were acknowledged. The workers go on. */
  async endStarts(): Promise<readonly string[]> {
    this.#starts = false;
    await this.#starting;
    return this.#started;
  }

  async stop(): Promise<void> {
    await this.endStarts();
    this.#works = false;
    await this.#working;
  }

  async #start(): Promise<void> {
    const { workflow: name } = this.settings;
    while (this.#starts) {
      const id = await this.#ask('POST', '/api/workflow', { name, version: 1 });
      if (id !== undefined) this.#started.push(id);
      await pause(pauseMs);
    }
  }

  async #work(): Promise<void> {
    const { taskType } = this.settings;
    while (this.#works) {
      const polled = await this.#ask('GET', `/api/tasks/poll/batch/${taskType}?count=4&timeout=50`);
      for (const task of JSON.parse(polled ?? '[]') as WireTask[]) {
        const { workflowInstanceId, taskId } = task;
        const report = { workflowInstanceId, taskId, status: 'COMPLETED', outputData: {} };
        if ((await this.#ask('POST', '/api/tasks', report)) !== undefined) this.#reported += 1;
      }
    }
  }

  /**
   * The body of the answer of the first node that takes the request, which is asked for again until
   * one does; undefined when the traffic ends meanwhile. Rejects for a refusal that another try
   * does not change.
   */
  async #ask(method: string, path: string, body?: object): Promise<string | undefined> {
    const { urls } = this.settings;
    const headers = { 'content-type': 'application/json' };
    const given = body === undefined ? {} : { body: JSON.stringify(body) };
    while (this.#works) {
      const url = urls[this.#turn++ % urls.length] as string;
      const signal = AbortSignal.timeout(requestMsMax);
      try {
        const answer = await fetch(`${url}${path}`, { method, headers, signal, ...given });
        const text = await answer.text();
        if (answer.ok) return text;
        if (answer.status < 500 && answer.status !== 429) {
          throw new RangeError(`${method} ${path}: ${answer.status} ${text}`);
        }
      } catch (error) {
        // A node that is away: the other one is asked.
        if (error instanceof RangeError) throw error;
      }
      await pause(pauseMs);
    }
    return undefined;
  }
}
