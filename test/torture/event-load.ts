// Messages under torture: a stream of a broker from which an event handler starts executions, fed
// from outside and by EVENT tasks, while server and broker are killed. What was taken is dealt with
// at least once: every entry that the broker confirmed starts one execution, and every publication
// whose start was acknowledged at least one (docs/events.md).
import { Redis } from 'ioredis';
import { startBroker, type RunningBroker } from '../support/brokers/broker.js';
import { redisProgram } from '../support/brokers/programs.js';
import { UnexpectedAnswer, type ApiClient } from '../../testkit/api-client.js';
import { pause } from '../../testkit/until.js';
import { finalStatuses, type WireWorkflow } from '../../testkit/wire.js';
import { createRandom, type Random } from './random.js';
import { ownerEmail, type SideLoad } from './side-load.js';

/** What a server needs: the broker stands on this machine, and its password is kept sealed. */
export const eventLoadArgs = [
  '--outbound-allow-inside=true',
  `--secrets-key=${Buffer.alloc(32, 7).toString('base64')}`,
] as const;

const stream = 'entries';
const event = `redis_stream:torture:${stream}`;
const startedName = 'torture_event';
const publishName = 'torture_publish';
const betweenMs = [50, 250] as const;
/** Between two kills of the broker. */
const brokerRestMs = [3_000, 8_000] as const;
const repeatDelayMs = 100;
const readersMax = 8;

interface Message {
  /** Stands in the message; the execution that it starts has it as correlation id. */
  readonly n: string;
  /** `entry`: appended by a client of the broker; `task`: published by an EVENT task. */
  readonly way: 'entry' | 'task';
  isAcknowledged: boolean;
}

export class EventLoad implements SideLoad {
  readonly messages: Message[] = [];
  private readonly random: Random;
  private isRunning = true;
  private loops: Promise<void>[] = [];
  private readonly feeder: Redis;

  private constructor(
    private readonly client: ApiClient,
    private readonly broker: RunningBroker,
    private readonly seed: number,
  ) {
    this.random = createRandom(seed ^ 0xe7e27);
    const { endpoint, password } = broker.configuration as { endpoint: string; password: string };
    const [host = '', port] = endpoint.split(':');
    const unanswered = {
      maxRetriesPerRequest: 0,
      commandTimeout: 2_000,
      enableOfflineQueue: false,
    };
    this.feeder = new Redis({ host, port: Number(port), password, ...unanswered });
    // Its commands tell of what goes wrong.
    this.feeder.on('error', () => undefined);
  }

  /** Starts a broker and tells a server of it that runs with `eventLoadArgs`. */
  static async start(client: ApiClient, seed: number): Promise<EventLoad> {
    const broker = await startBroker(redisProgram);
    try {
      await define(client, broker);
      return new EventLoad(client, broker, seed);
    } catch (error) {
      await broker.stop();
      throw error;
    }
  }

  begin(): void {
    this.loops.push(this.append(), this.publish(), this.breakBroker());
  }

  /** Nothing new; resolves with a sentence per violation once all is dealt with or time is over. */
  async judge(timeoutMs: number): Promise<string[]> {
    await this.endLoops();
    const deadline = Date.now() + timeoutMs;
    const left = [...this.messages];
    const violations: string[] = [];
    const look = async (): Promise<void> => {
      for (let message = left.shift(); message !== undefined; message = left.shift()) {
        const violation = await this.judgeOne(message, deadline);
        if (violation !== undefined) violations.push(violation);
      }
    };
    await Promise.all(Array.from({ length: readersMax }, look));
    return violations;
  }

  describe(): string {
    return `${this.messages.length} messages for an event handler`;
  }

  async end(): Promise<void> {
    await this.endLoops();
    this.feeder.disconnect();
    await this.broker.stop();
  }

  private async endLoops(): Promise<void> {
    this.isRunning = false;
    await Promise.all(this.loops);
  }

  private next(way: Message['way']): Message {
    const n = `${way}-${this.seed}-${this.messages.length}`;
    const message = { n, way, isAcknowledged: false };
    this.messages.push(message);
    return message;
  }

  private async append(): Promise<void> {
    while (this.isRunning) {
      const message = this.next('entry');
      try {
        await this.feeder.xadd(stream, '*', 'payload', JSON.stringify({ n: message.n }));
        message.isAcknowledged = true;
      } catch {
        // Killed meanwhile: nobody knows whether the stream has it.
      }
      await pause(this.random.between(...betweenMs));
    }
  }

  private async publish(): Promise<void> {
    while (this.isRunning) {
      const message = this.next('task');
      const request = {
        name: publishName,
        version: 1,
        input: { n: message.n },
        idempotencyKey: message.n,
        idempotencyStrategy: 'RETURN_EXISTING',
      } as const;
      while (this.isRunning && !message.isAcknowledged) {
        message.isAcknowledged = await this.client.start(request).then(
          () => true,
          () => false,
        );
        if (!message.isAcknowledged) await pause(repeatDelayMs);
      }
      await pause(this.random.between(...betweenMs));
    }
  }

  private async breakBroker(): Promise<void> {
    for (;;) {
      const until = Date.now() + this.random.between(...brokerRestMs);
      while (this.isRunning && Date.now() < until) await pause(repeatDelayMs);
      if (!this.isRunning) return;
      await this.broker.kill();
      await pause(this.random.between(0, 1_000));
      await this.broker.restart();
    }
  }

  private async judgeOne(
    { n, way, isAcknowledged }: Message,
    deadline: number,
  ): Promise<string | undefined> {
    for (;;) {
      const found = await this.startedBy(n);
      const isMissing = isAcknowledged && found.length === 0;
      const isOpen = found.some(({ status }) => !finalStatuses.has(status));
      if (!isMissing && !isOpen) {
        const isRepeated = way === 'entry' && found.length > 1;
        return isRepeated ? `message ${n} started ${found.length} executions` : undefined;
      }
      if (Date.now() > deadline) {
        return isMissing ? `message ${n} was taken and started nothing` : `${n} did not end`;
      }
      await pause(repeatDelayMs);
    }
  }

  private async startedBy(n: string): Promise<WireWorkflow[]> {
    const query = 'includeClosed=true&includeTasks=false';
    try {
      const path = `/api/workflow/${startedName}/correlated/${n}?${query}`;
      return (await this.client.ask('GET', path)).body as WireWorkflow[];
    } catch (error) {
      if (error instanceof UnexpectedAnswer && error.answer.status !== 503) throw error;
      return [];
    }
  }
}

async function define(client: ApiClient, { configuration }: RunningBroker): Promise<void> {
  const retries = { retryCount: 10, retryLogic: 'FIXED', retryDelaySeconds: 1 } as const;
  const limits = { timeoutSeconds: 0, responseTimeoutSeconds: 4 };
  await client.registerTasks({ name: publishName, ...retries, ...limits, ownerEmail });
  const task = { name: publishName, taskReferenceName: 'event' };
  await client.registerWorkflows(
    {
      ...{ name: publishName, version: 1, schemaVersion: 2, ownerEmail },
      tasks: [
        { ...task, type: 'EVENT', sink: event, inputParameters: { n: '${workflow.input.n}' } },
      ],
    } as never,
    {
      ...{ name: startedName, version: 1, schemaVersion: 2, ownerEmail },
      tasks: [{ ...task, type: 'NOOP' }],
    } as never,
  );
  const provider = { type: 'redis_stream', category: 'MESSAGE_BROKER', enabled: true };
  await client.ask('POST', '/api/integrations/provider/torture', { ...provider, configuration });
  const start = { name: startedName, version: 1, correlationId: '${n}', input: { n: '${n}' } };
  const actions = [{ action: 'start_workflow', start_workflow: start }];
  const handler = { name: startedName, event, active: true, actions };
  await client.ask('POST', '/api/event', handler);
}
