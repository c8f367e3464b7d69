// KAFKA_PUBLISH (semantics 4.21): publishes a value, as JSON text, at a Kafka that the task names
// itself. The task completes when the brokers have acknowledged it.
//
// requestTimeoutMs and maxBlockMs, where given, bound connecting and publishing together; the
// field's defaults (100 and 500 ms) are too short for a first connection, so at least 2 s are
// waited for.
import {
  reachesNothing,
  BrokerSettings,
  hasInput,
  isBrokerError,
  missingInputs,
  isMap,
  type Json,
  type JsonMap,
  textFrom,
  toJsonText,
  checkInner,
  checkParameters,
  map,
  parameterTrouble,
  type Parameters as ParameterTable,
  failed,
  type PluginTask,
  type PluginServices,
  type PluginTaskType,
  type TaskRun,
} from '@downbeat/plugin';
import { kafkaBroker } from './kafka.js';

const timeoutMsMin = 2000;

const requestParameters: ParameterTable = {
  headers: map,
  requestTimeoutMs: { kind: 'number' },
  maxBlockMs: { kind: 'number' },
};

export const kafkaPublishTask: PluginTaskType = {
  name: 'KAFKA_PUBLISH',
  reaches: reachesNothing,
  check(config, rules) {
    if (!hasInput(config, 'kafka_request', rules)) {
      return missingInputs(config, ['kafka_request'], rules);
    }
    return [
      ...checkParameters({ kafka_request: map })(config),
      ...checkInner(config, 'kafka_request', requestParameters),
    ];
  },
  create: createKafkaPublishTask,
};

export function createKafkaPublishTask({
  brokerSink,
}: Pick<PluginServices, 'brokerSink'>): PluginTask {
  return {
    lane: ({ kafka_request: request }) => (isMap(request) ? serversOf(request) : ''),
    async run(run) {
      const request = run.input['kafka_request'];
      if (!isMap(request)) return failed('Missing Kafka request: kafka_request must be an object');
      const publication = publicationOf(run, request);
      if (typeof publication === 'string') return failed(publication);
      const { servers, topic, message, timeoutMs } = publication;
      const settings = BrokerSettings.of('the task', { endpoint: servers });
      const target = { eventKind: 'kafka', queue: topic, settings };
      const found = { kind: kafkaBroker, target, version: `task ${servers}` };
      try {
        await brokerSink.send(found, message, timeoutMs);
      } catch (error) {
        if (isBrokerError(error)) return failed(error.message);
        throw error;
      }
      return { status: run.asyncComplete ? 'IN_PROGRESS' : 'COMPLETED', output: {} };
    },
  };
}

interface Publication {
  readonly servers: string;
  readonly topic: string;
  readonly timeoutMs: number | undefined;
  readonly message: Parameters<PluginServices['brokerSink']['send']>[1];
}

/** A text says what is wrong. */
function publicationOf(run: TaskRun, request: JsonMap): Publication | string {
  const servers = serversOf(request);
  if (servers === '') return 'No boot strap servers specified: kafka_request.bootStrapServers';
  const { topic, value, key, headers } = request;
  if (typeof topic !== 'string' || topic === '') return 'Missing Kafka topic: kafka_request.topic';
  if (value === undefined || value === null) return 'No message to publish: kafka_request.value';
  const trouble = parameterTrouble(requestParameters, request);
  if (trouble !== undefined) return `kafka_request.${trouble}`;
  const keyed = keyOf(key, request['keySerializer']);
  if (typeof keyed === 'string') return keyed;
  return {
    servers,
    topic,
    timeoutMs: timeoutOf(request),
    message: {
      id: run.attemptKey,
      payload: toJsonText(value),
      ...keyed,
      headers: isMap(headers) ? headersOf(headers) : {},
    },
  };
}

function serversOf({ bootStrapServers }: JsonMap): string {
  return typeof bootStrapServers === 'string' ? bootStrapServers.trim() : '';
}

/** undefined when the task gives none. */
function timeoutOf({ requestTimeoutMs, maxBlockMs }: JsonMap): number | undefined {
  const given = [requestTimeoutMs, maxBlockMs].map(Number).filter((each) => each > 0);
  if (given.length === 0) return undefined;
  return Math.max(
    timeoutMsMin,
    given.reduce((sum, each) => sum + each, 0),
  );
}

function headersOf(headers: JsonMap): { [name: string]: string } {
  const texts = Object.entries(headers).map(([name, value]) => [name, textFrom(value)] as const);
  return Object.fromEntries(texts);
}

/**
 * The key as its serializer writes it: text, or 4 or 8 bytes, most significant first. Serializers
 * are named by their Java class. A text says what is wrong.
 */
function keyOf(
  key: Json | undefined,
  serializer: Json | undefined,
): { readonly key?: string | Buffer } | string {
  if (key === undefined || key === null) return {};
  const name = typeof serializer === 'string' ? (serializer.split('.').at(-1) ?? '') : '';
  if (name === '' || name === 'StringSerializer') return { key: textFrom(key) };
  if (name !== 'LongSerializer' && name !== 'IntegerSerializer') {
    return `keySerializer must be a String, Long or Integer serializer, not ${name}`;
  }
  const text = textFrom(key).trim();
  const number = /^-?\d+$/.test(text) ? BigInt(text) : undefined;
  const bits = name === 'LongSerializer' ? 64 : 32;
  if (number === undefined || BigInt.asIntN(bits, number) !== number) {
    return `key must be a whole number of ${bits} bits for ${name}, not ${text}`;
  }
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(number);
  return { key: bits === 64 ? bytes : bytes.subarray(4) };
}
