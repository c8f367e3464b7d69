import { callerOf, sqsBroker } from '../../src/broker/sqs.js';
import { missingProgram } from '../support/brokers/broker.js';
import { sqsProgram } from '../support/brokers/programs.js';
import { describeKind } from './kind-suite.js';

describeKind({
  kind: sqsBroker,
  program: sqsProgram,
  missing: missingProgram(sqsProgram.command),
  eventKinds: ['sqs'],
  idsStay: true,
  makeQueue: async ({ queue, settings }, ways) => {
    const { signal } = new AbortController();
    await callerOf(settings, ways)('CreateQueue', { QueueName: queue }, signal);
  },
});
