// A trace goes over a broker and back: out with what EVENT tasks publish, in with the messages that
// handlers take, on real brokers that have headers and in Redis streams, which have fields.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { amqpBroker } from '../../../plugins/amqp/src/amqp.js';
import { kafkaBroker } from '../../../plugins/kafka/src/kafka.js';
import { natsBroker } from '../../../plugins/nats/src/nats.js';
import type { BrokerKind } from '../../../src/broker/broker-kind.js';
import { BrokerSettings } from '../../../src/broker/broker-settings.js';
import { redisStreamBroker } from '../../../src/broker/redis-stream.js';
import { AccessRules } from '../../../src/system-task/outbound-access.js';
import { ApiClient } from '../../../testkit/api-client.js';
import {
  missingArtefacts,
  missingProgram,
  startBroker,
  type BrokerProgram,
  type RunningBroker,
} from '../../support/brokers/broker.js';
import {
  kafkaJarThere,
  kafkaProgram,
  natsProgram,
  rabbitProgram,
  redisProgram,
} from '../../support/brokers/programs.js';
import { OtlpReceiver } from '../../support/otlp-receiver.js';
import { startServer, type RunningServer } from '../../../testkit/server.js';
import { until } from '../../../testkit/until.js';

interface Tried {
  readonly kind: BrokerKind;
  readonly eventKind: string;
  readonly program: BrokerProgram;
  readonly missing: string | undefined;
}

const tried: readonly Tried[] = [
  {
    ...{ kind: redisStreamBroker, eventKind: 'redis_stream', program: redisProgram },
    missing: missingProgram(redisProgram.command),
  },
  {
    ...{ kind: natsBroker, eventKind: 'nats', program: natsProgram },
    missing: missingProgram(natsProgram.command),
  },
  {
    ...{ kind: amqpBroker, eventKind: 'amqp_exchange', program: rabbitProgram },
    missing: missingProgram(rabbitProgram.command),
  },
  {
    ...{ kind: kafkaBroker, eventKind: 'kafka', program: kafkaProgram },
    missing: missingArtefacts(kafkaJarThere),
  },
];

const callerSpan = '00f067aa0ba902b7';
const longMs = { timeoutMs: 60_000 };
const set = { name: 'v', taskReferenceName: 'v', type: 'SET_VARIABLE', inputParameters: {} };
const wait = { name: 'w', taskReferenceName: 'w', type: 'WAIT', inputParameters: {} };

let receiver: OtlpReceiver;
let server: RunningServer;
let api: ApiClient;
beforeAll(async () => {
  receiver = new OtlpReceiver();
  await receiver.start();
  server = await startServer({
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_BSP_SCHEDULE_DELAY: '50' },
    args: ['--outbound-allow-inside=true'],
  });
  api = new ApiClient(server.url);
  await api.registerWorkflows(
    { name: 'started', tasks: [set] } as never,
    { name: 'waits', tasks: [wait] } as never,
  );
});
afterAll(async () => {
  await api.close();
  await server.stop();
  await receiver.stop();
});

let traces = 0;
const newTrace = (): string =>
  `4bf92f3577b34da6a3ce929d${(++traces).toString(16).padStart(8, '0')}`;

for (const { kind, eventKind, program, missing } of tried) {
  describe.skipIf(missing !== undefined)(kind.name, { timeout: 150_000 }, () => {
    const event = `${eventKind}:${kind.name}:traced`;
    let broker: RunningBroker;

    beforeAll(async () => {
      broker = await startBroker(program);
      await api.ask('POST', `/api/integrations/provider/${kind.name}`, {
        ...{ type: kind.name, category: 'MESSAGE_BROKER', enabled: true },
        configuration: broker.configuration,
      });
      const started = { name: 'started', version: 1, input: {} };
      const waiting = { workflowId: '${waits}', taskRefName: 'w', output: {} };
      const name = `on_${kind.name}`;
      await api.ask('POST', '/api/event', {
        ...{ name, event, active: true },
        actions: [
          { action: 'start_workflow', start_workflow: started },
          { action: 'complete_task', complete_task: waiting },
        ],
      });
      await until(
        'the connection',
        async () => {
          const { body } = await api.ask('GET', '/api/event/queue/source');
          return (body as { event: string; status: string }[]).find(
            (each) => each.event === event && each.status === 'CONNECTED',
          );
        },
        longMs,
      );
    }, 120_000);
    afterAll(async () => {
      await broker?.stop();
    });

    it('carries the trace of an execution to what its message starts', async () => {
      const traceId = newTrace();
      const publish = { name: 'e', taskReferenceName: 'e', type: 'EVENT', sink: event };
      const name = `publishes_on_${kind.name}`;
      const answer = await fetch(`${server.url}/api/workflow`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          traceparent: `00-${traceId}-${callerSpan}-01`,
          tracestate: 'vendor=a1',
        },
        body: JSON.stringify({ name, workflowDef: { name, tasks: [publish] } }),
      });
      expect(answer.status).toBe(200);
      const run = await until('the publication', () => receiver.named(traceId, 'run e')[0], longMs);
      const taken = await until(
        'the span of the event',
        () => receiver.named(traceId, `event ${event}`)[0],
        longMs,
      );
      expect(taken.parentSpanId).toBe(run.spanId);
      expect(taken.traceState).toBe('vendor=a1');
      const started = await receiver.span(traceId, 'workflow started');
      expect(started.parentSpanId).toBe(taken.spanId);
    });

    it('takes in the trace of another system, also for a task that the message completes', async () => {
      const id = await api.start({ name: 'waits' } as never);
      const traceId = newTrace();
      const settings = BrokerSettings.of('the test', broker.configuration);
      const target = { eventKind, queue: 'traced', settings };
      const guard = new AccessRules({ allowInside: true, allowedHosts: [] });
      const send = (): never => {
        throw new Error('not over HTTP');
      };
      const sink = await kind.openSink(target, { guard, send });
      const headers = { traceparent: `00-${traceId}-${callerSpan}-01` };
      const payload = JSON.stringify({ waits: id });
      await sink.publish(target, { id: `other-${kind.name}`, payload, headers });
      await sink.close();
      const taken = await until(
        'the span of the event',
        () => receiver.named(traceId, `event ${event}`)[0],
        longMs,
      );
      expect(taken.parentSpanId).toBe(callerSpan);
      const woken = await until('the decision', () =>
        receiver.spans.find(
          ({ name, attributes }) =>
            name === 'decide update-task' && attributes['downbeat.workflow.id'] === id,
        ),
      );
      expect(woken.links).toEqual([callerSpan]);
    });
  });
  if (missing !== undefined) it.skip(`${kind.name}: ${missing}`);
}
