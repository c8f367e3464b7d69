// Executions that no worker moves on, but people and platforms: a signal, a message, a human task,
// a webhook, and controls, one after the other. What was acknowledged must show in every later read
// at any node, and in the record at the end (invariants I2, I13).
import type { ApiClient } from '../../testkit/api-client.js';
import { pause, until } from '../../testkit/until.js';
import { finalStatuses, type WireTask, type WireWorkflow } from '../../testkit/wire.js';
import { Loops, ownerEmail, untilAnswered, type SideLoad } from './side-load.js';

const name = 'torture_story';
const webhook = 'torture';
const webhookKey = { 'x-torture': 'told' };
const storytellers = 3;
/** How long one step may take while faults come and go, ms. */
const stepMs = 60_000;
/** Between two looks at an execution, ms. */
const lookEveryMs = 200;
/** Between two stories of one storyteller, ms. */
const restMs = 300;

interface Story {
  /** Stands in the execution's input, and in whatever moves it on. */
  readonly n: string;
  readonly id: string;
  /** Controls that were acknowledged, as the history names them. */
  readonly controls: string[];
  /** Of what was sent more than once: those of them, and `signal`. */
  readonly repeated: Set<string>;
  /** Tasks that were answered, by reference name. */
  readonly answered: Set<string>;
}

/** Controls in the order in which a story has them. */
const controls = ['pause', 'resume', 'terminate', 'retry'];

/** Thrown where a story breaks a promise: its sentence is the violation. */
class Broken extends Error {}

export class StoryLoad implements SideLoad {
  private readonly loops = new Loops();
  private readonly violations: string[] = [];
  private begun = 0;
  private told = 0;
  /** Stories that a request which came late has upset. */
  private upset = 0;

  private constructor(
    private readonly client: ApiClient,
    private readonly seed: number,
  ) {}

  static async start(client: ApiClient, seed: number): Promise<StoryLoad> {
    await client.registerWorkflows(definition as never);
    await client.ask('POST', '/api/metadata/webhook', {
      ...{ id: webhook, name: webhook, sourcePlatform: 'Custom', headers: webhookKey },
      verifier: 'HEADER_BASED',
      receiverWorkflowNamesToVersions: { [name]: 1 },
    });
    return new StoryLoad(client, seed);
  }

  begin(): void {
    for (let i = 0; i < storytellers; i++) {
      this.loops.add(async () => {
        await this.tell();
        await pause(restMs);
      });
    }
  }

  /** A story that was begun is told to its end. */
  async judge(): Promise<string[]> {
    await this.loops.end();
    return this.violations;
  }

  async end(): Promise<void> {
    await this.loops.end();
  }

  describe(): string {
    const upset = this.upset === 0 ? '' : `, ${this.upset} upset by a request that came late`;
    return `${this.told} stories of people and platforms${upset}`;
  }

  private async tell(): Promise<void> {
    const n = `story-${this.seed}-${this.begun++}`;
    let story: Story | undefined;
    try {
      const request = { name, version: 1, input: { n }, idempotencyKey: n, correlationId: n };
      const start = { ...request, idempotencyStrategy: 'RETURN_EXISTING' };
      const { text: id } = await this.do('start', 'POST', '/api/workflow', start);
      story = { n, id, controls: [], repeated: new Set(), answered: new Set() };
      await this.signal(story, 'signalled');
      await this.message(story);
      await this.person(story);
      await this.platform(story);
      await this.control(story);
      await this.signal(story, 'held');
      this.judgeRecord(story, await this.ended(story), await this.history(story));
      this.told++;
    } catch (error) {
      if (!(error instanceof Broken)) throw error;
      // A history that cannot be read excuses nothing.
      const isUpset = story !== undefined && (await this.isUpset(story).catch(() => false));
      if (isUpset) this.upset++;
      else this.violations.push(`${n}: ${error.message}`);
    }
  }

  /**
   * Whether a request that got no answer and was sent again was carried out once more later on,
   * because the node that had it first stood still meanwhile: a control after one that comes after
   * it, or a signal, which answers whatever waits by then.
   */
  private async isUpset(story: Story): Promise<boolean> {
    if (story.repeated.has('signal')) {
      const { tasks } = await this.read(story);
      const done = tasks.filter(({ status }) => status === 'COMPLETED');
      const refs = done.map(({ referenceTaskName }) => referenceTaskName);
      if (['asked', 'held'].some((ref) => refs.includes(ref) && !story.answered.has(ref))) {
        return true;
      }
    }
    const places = (await this.history(story)).map(({ action }) => controls.indexOf(action));
    return places.some(
      (place, i) =>
        story.repeated.has(controls[place] ?? '') &&
        places.slice(0, i).some((earlier) => earlier > place),
    );
  }

  private async signal(story: Story, ref: string): Promise<void> {
    await this.waiting(story, ref);
    const path = `/api/tasks/${story.id}/COMPLETED/signal`;
    const { attempts } = await this.do(`the signal of ${ref}`, 'POST', path, { n: story.n });
    if (attempts > 1) story.repeated.add('signal');
    story.answered.add(ref);
    await this.done(story, ref);
  }

  private async message(story: Story): Promise<void> {
    await this.waiting(story, 'pulled');
    await this.do('a message', 'POST', `/api/workflow/${story.id}/messages`, { n: story.n });
    const { outputData } = await this.taskOf(story, 'pulled', 'COMPLETED');
    const { messages } = outputData as { messages: { payload: { n?: string } }[] };
    if (!messages.some(({ payload }) => payload.n === story.n)) throw new Broken('lost a message');
  }

  private async person(story: Story): Promise<void> {
    const { taskId } = await this.waiting(story, 'asked');
    const path = `/api/human/tasks/${taskId}/update?complete=true`;
    await this.do('the answer of a person', 'POST', path, { n: story.n });
    story.answered.add('asked');
    await this.done(story, 'asked');
  }

  /** What a webhook takes is dealt with after its answer. */
  private async platform(story: Story): Promise<void> {
    await this.waiting(story, 'hooked');
    await this.do(
      'a call of a platform',
      'POST',
      `/webhook/${webhook}`,
      { n: story.n },
      webhookKey,
    );
    const { outputData } = await this.reached(story, 'hooked', 'COMPLETED');
    if (outputData['n'] !== story.n) throw new Broken('a platform is heard with another payload');
  }

  private async control(story: Story): Promise<void> {
    await this.waiting(story, 'held');
    const path = `/api/workflow/${story.id}`;
    await this.controlled(story, 'pause', 'PAUSED', 'PUT', `${path}/pause`);
    await this.controlled(story, 'resume', 'RUNNING', 'PUT', `${path}/resume`);
    await this.controlled(story, 'terminate', 'TERMINATED', 'DELETE', `${path}?reason=story`);
    await this.controlled(story, 'retry', 'RUNNING', 'POST', `${path}/retry`);
  }

  /** Nobody else controls the execution, so its status is what was acknowledged last. */
  private async controlled(
    story: Story,
    action: string,
    status: string,
    method: 'PUT' | 'POST' | 'DELETE',
    path: string,
  ): Promise<void> {
    const { attempts } = await this.do(action, method, path);
    story.controls.push(action);
    if (attempts > 1) story.repeated.add(action);
    const seen = await this.read(story);
    if (seen.status !== status) {
      throw new Broken(`is ${seen.status} after ${action} was acknowledged, not ${status}`);
    }
  }

  /** What was sent before may be refused when repeated. */
  private async do(
    what: string,
    method: 'PUT' | 'POST' | 'DELETE',
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<{ text: string; attempts: number }> {
    const deadline = Date.now() + stepMs;
    const sent = await untilAnswered(this.client, deadline, method, path, body, headers);
    if (sent === undefined) throw new Broken(`${what} was not acknowledged in ${stepMs} ms`);
    const { answer, attempts } = sent;
    if (answer.status >= 300 && attempts === 1) {
      throw new Broken(`${what} was answered ${answer.status}: ${answer.text.slice(0, 200)}`);
    }
    return { text: answer.text, attempts };
  }

  private async read(story: Story, suffix = ''): Promise<WireWorkflow> {
    const path = `/api/workflow/${story.id}${suffix}`;
    const sent = await untilAnswered(this.client, Date.now() + stepMs, 'GET', path);
    if (sent?.answer.status === 200) return sent.answer.body as WireWorkflow;
    throw new Broken(`reading ${suffix} gave ${sent?.answer.status ?? 'nothing'}`);
  }

  private async history(story: Story): Promise<readonly { action: string }[]> {
    return (await this.read(story, '/history')) as unknown as { action: string }[];
  }

  private async waiting(story: Story, ref: string): Promise<WireTask> {
    return await this.reached(story, ref, 'IN_PROGRESS');
  }

  private async reached(story: Story, ref: string, status: string): Promise<WireTask> {
    const look = async (): Promise<WireTask | undefined> =>
      newest(await this.read(story), ref, status);
    return await until(`${ref} ${status}`, look, { timeoutMs: stepMs, everyMs: lookEveryMs }).catch(
      async () => {
        const seen = (await this.read(story)).tasks.map((task) => [
          task.referenceTaskName,
          task.status,
        ]);
        throw new Broken(`${story.id}: ${ref} did not get ${status}: ${JSON.stringify(seen)}`);
      },
    );
  }

  /** As it must be now. */
  private async taskOf(story: Story, ref: string, status: string): Promise<WireTask> {
    const task = newest(await this.read(story), ref, status);
    if (task === undefined)
      throw new Broken(`${story.id}: ${ref} is not ${status} as acknowledged`);
    return task;
  }

  private async done(story: Story, ref: string): Promise<void> {
    const { outputData } = await this.taskOf(story, ref, 'COMPLETED');
    if (outputData['n'] !== story.n) throw new Broken(`${ref} ended with another output`);
  }

  private async ended(story: Story): Promise<WireWorkflow> {
    const seen = await this.read(story);
    if (seen.status !== 'COMPLETED') throw new Broken(`${story.id} is ${seen.status} at its end`);
    return seen;
  }

  private judgeRecord(
    { n, controls }: Story,
    workflow: WireWorkflow,
    history: readonly { action: string }[],
  ): void {
    const done = workflow.tasks.filter(({ status }) => status === 'COMPLETED');
    const refs = done.map(({ referenceTaskName }) => referenceTaskName).join();
    if (refs !== 'signalled,pulled,asked,hooked,held') throw new Broken(`carried out ${refs}`);
    if (workflow.output['n'] !== n) throw new Broken('ended with the output of another one');
    const noted = new Set(history.map(({ action }) => action));
    for (const action of controls) {
      if (!noted.has(action)) throw new Broken(`its history does not tell of ${action}`);
    }
    if (!finalStatuses.has(workflow.status)) throw new Broken('has no end');
  }
}

function newest({ tasks }: WireWorkflow, ref: string, status: string): WireTask | undefined {
  const task = tasks.findLast(({ referenceTaskName }) => referenceTaskName === ref);
  return task?.status === status ? task : undefined;
}

const waitingTask = (type: string, ref: string, inputParameters: object = {}): object => ({
  ...{ name: ref, taskReferenceName: ref, type, inputParameters },
});

const definition = {
  ...{ name, version: 1, schemaVersion: 2, ownerEmail },
  tasks: [
    waitingTask('YIELD', 'signalled'),
    waitingTask('PULL_WORKFLOW_MESSAGES', 'pulled'),
    waitingTask('HUMAN', 'asked'),
    waitingTask('WAIT_FOR_WEBHOOK', 'hooked', { matches: { n: '${workflow.input.n}' } }),
    waitingTask('WAIT', 'held'),
  ],
  outputParameters: { n: '${held.output.n}' },
};
