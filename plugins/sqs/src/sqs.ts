// SQS and what speaks its protocol: an event `sqs:integration:queue` is a queue, whose readers
// share its messages. A message that is being dealt with is hidden from others, and hidden again
// until it is done; one that failed is shown again at once. Queues are not made from here.
import {
  isMap,
  type JsonMap,
  numberFrom,
  parseJson,
  textFrom,
  toJsonText,
  BrokerError,
  type BrokerKind,
  type BrokerReader,
  type BrokerTarget,
  type BrokerWays,
  type BrokerSettings,
  keptAlive,
  Window,
} from '@downbeat/plugin';
import { signRequest } from './sign-request.js';

/** Of one answer, as the protocol has it. */
const receivedMax = 10;
/**
 * The server holds a request for so long when there is nothing. A request is never cut off: what
 * the server answers to nobody stays hidden for a while. So this is what a stop may take, too.
 */
const waitSeconds = 2;
const hiddenSeconds = 30;
const answerTimeoutMs = 15_000;
/** Those that are asked for: a message hands out no others. */
const traceAttributes = ['traceparent', 'tracestate'] as const;

export const sqsBroker: BrokerKind = {
  name: 'sqs',
  eventKinds: ['sqs'],
  providerTypes: ['aws_sqs'],
  settingNames: ['connectionType', 'region', 'user', 'api_key', 'endpoint', 'awsAccountId'],
  fansOut: () => false,
  async consume(target, reader, ways) {
    const call = callerOf(target.settings, ways);
    const queueUrl = await queueUrlOf(call, target, reader.signal);
    reader.connected();
    await readAll(call, queueUrl, reader);
  },
  openSink({ settings }, ways) {
    const call = callerOf(settings, ways);
    const closing = new AbortController();
    const urls = new Map<string, string>();
    return Promise.resolve({
      async publish(target, { id, key, payload, headers = {} }) {
        const url = urls.get(target.queue) ?? (await queueUrlOf(call, target, closing.signal));
        urls.set(target.queue, url);
        const ordered = target.queue.endsWith('.fifo')
          ? {
              MessageGroupId: key?.toString() ?? 'downbeat',
              MessageDeduplicationId: id.slice(0, 128),
            }
          : {};
        const attributes = attributesOf(headers);
        const message = { QueueUrl: url, MessageBody: payload, ...ordered, ...attributes };
        await call('SendMessage', message, closing.signal);
      },
      close: () => Promise.resolve(closing.abort()),
    });
  },
};

/** Carries out one action of the protocol; rejects with BrokerError for a refusal. */
export type SqsCall = (action: string, input: JsonMap, signal: AbortSignal) => Promise<JsonMap>;

/** Throws BrokerError when a setting is missing. */
export function callerOf(settings: BrokerSettings, { send }: Pick<BrokerWays, 'send'>): SqsCall {
  // Roles would be those of the machine that the server runs on.
  settings.choice('connectionType', ['ACCESS_KEY'], 'ACCESS_KEY');
  const region = settings.required('region');
  const endpoint = settings.text('endpoint') ?? `https://sqs.${region}.amazonaws.com`;
  if (!URL.canParse(endpoint)) throw new BrokerError(`${endpoint} is not an address`);
  const url = new URL('/', endpoint);
  const keyId = settings.required('user');
  const credentials = { keyId, secret: settings.required('api_key'), region, service: 'sqs' };
  return async (action, input, signal) => {
    const body = toJsonText(input);
    const headers = new Map([
      ['content-type', 'application/x-amz-json-1.0'],
      ['x-amz-target', `AmazonSQS.${action}`],
    ]);
    const signed = signRequest({ url, headers, body }, credentials, Date.now());
    const timeoutMs = answerTimeoutMs + waitSeconds * 1000;
    const answer = await send({ url, headers: signed, body, timeoutMs, signal });
    const text = answer.body.toString('utf8');
    if (answer.statusCode !== 200) {
      throw new BrokerError(`${action}: ${answer.statusCode} ${text.slice(0, 500)}`);
    }
    const output = text === '' ? {} : parseJson(text);
    return isMap(output) ? output : {};
  };
}

async function queueUrlOf(
  call: SqsCall,
  { queue, settings }: BrokerTarget,
  signal: AbortSignal,
): Promise<string> {
  const owner = settings.text('awsAccountId');
  const named = {
    QueueName: queue,
    ...(owner === undefined ? {} : { QueueOwnerAWSAccountId: owner }),
  };
  const { QueueUrl } = await call('GetQueueUrl', named, signal);
  if (typeof QueueUrl !== 'string') throw new BrokerError(`there is no queue ${queue}`);
  return QueueUrl;
}

async function readAll(call: SqsCall, queueUrl: string, reader: BrokerReader): Promise<void> {
  const { signal } = new AbortController();
  const window = new Window(reader.prefetch, () => undefined);
  const queue: Queue = { call, url: queueUrl };
  try {
    for (;;) {
      await window.room();
      if (reader.signal.aborted) return;
      const { Messages } = await call(
        'ReceiveMessage',
        {
          QueueUrl: queueUrl,
          MaxNumberOfMessages: Math.min(window.free, receivedMax),
          WaitTimeSeconds: waitSeconds,
          VisibilityTimeout: hiddenSeconds,
          AttributeNames: ['SentTimestamp'],
          MessageAttributeNames: [...traceAttributes],
        },
        signal,
      );
      for (const message of Array.isArray(Messages) ? Messages : []) {
        if (isMap(message)) window.add(() => handle(queue, reader, message));
      }
    }
  } finally {
    await window.drained();
  }
}

/** Attributes of a message that is sent; no field where there are none. */
function attributesOf(headers: Readonly<Record<string, string>>): JsonMap {
  const texts = Object.entries(headers);
  if (texts.length === 0) return {};
  const values = texts.map(([name, text]) => [name, { DataType: 'String', StringValue: text }]);
  return { MessageAttributes: Object.fromEntries(values) as JsonMap };
}

function attributeOf(message: JsonMap, name: string): string {
  const attributes = message['MessageAttributes'];
  const attribute = isMap(attributes) ? attributes[name] : undefined;
  return attribute !== undefined && isMap(attribute)
    ? textFrom(attribute['StringValue'] ?? '')
    : '';
}

interface Queue {
  readonly call: SqsCall;
  readonly url: string;
}

async function handle({ call, url }: Queue, reader: BrokerReader, message: JsonMap): Promise<void> {
  const received = { QueueUrl: url, ReceiptHandle: message['ReceiptHandle'] ?? '' };
  // Messages that are done may still be acknowledged while the reader stops.
  const { signal } = new AbortController();
  const hide = (VisibilityTimeout: number): Promise<JsonMap> =>
    call('ChangeMessageVisibility', { ...received, VisibilityTimeout }, signal);
  const attributes = message['Attributes'];
  const sentAt = numberFrom(isMap(attributes) ? attributes['SentTimestamp'] : Number.NaN);
  try {
    await keptAlive(
      (hiddenSeconds * 1000) / 3,
      () => hide(hiddenSeconds),
      () =>
        reader.handle({
          id: textFrom(message['MessageId']),
          publishedAt: Number.isFinite(sentAt) ? sentAt : undefined,
          payload: textFrom(message['Body']),
          header: (name) => attributeOf(message, name),
        }),
    );
  } catch (error) {
    await hide(0).catch(() => undefined);
    throw error;
  }
  await call('DeleteMessage', received, signal);
}
