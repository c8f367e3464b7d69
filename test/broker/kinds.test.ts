// Each kind of broker on a real one. All of them stand in one file, so that no two run at once: a
// Java or Erlang machine that starts beside another one takes the time of both.
import { amqpBroker } from '../../plugins/amqp/src/amqp.js';
import { kafkaBroker } from '../../plugins/kafka/src/kafka.js';
import { natsBroker } from '../../plugins/nats/src/nats.js';
import { redisStreamBroker } from '../../src/broker/redis-stream.js';
import { callerOf, sqsBroker } from '../../plugins/sqs/src/sqs.js';
import { missingArtefacts, missingProgram } from '../support/brokers/broker.js';
import {
  kafkaJarThere,
  kafkaProgram,
  natsProgram,
  rabbitProgram,
  redisProgram,
  sqsJarThere,
  sqsProgram,
} from '../support/brokers/programs.js';
import { describeKind } from './kind-suite.js';

describeKind({
  kind: redisStreamBroker,
  program: redisProgram,
  missing: missingProgram(redisProgram.command),
  eventKinds: ['redis_stream'],
});

describeKind({
  kind: natsBroker,
  program: natsProgram,
  missing: missingProgram(natsProgram.command),
  eventKinds: ['nats'],
});

describeKind({
  kind: amqpBroker,
  program: rabbitProgram,
  missing: missingProgram(rabbitProgram.command),
  eventKinds: ['amqp', 'amqp_exchange'],
});

describeKind({
  kind: kafkaBroker,
  program: kafkaProgram,
  missing: missingArtefacts(kafkaJarThere),
  eventKinds: ['kafka'],
  asksForLogin: true,
});

describeKind({
  kind: sqsBroker,
  program: sqsProgram,
  missing: missingArtefacts(sqsJarThere),
  eventKinds: ['sqs'],
  makeQueue: async ({ queue, settings }, ways) => {
    const { signal } = new AbortController();
    await callerOf(settings, ways)('CreateQueue', { QueueName: queue }, signal);
  },
});
