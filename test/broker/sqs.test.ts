import { callerOf, sqsBroker } from '../../src/broker/sqs.js';
import { missingArtefacts, onlyLong } from '../support/brokers/broker.js';
import { sqsJarThere, sqsProgram } from '../support/brokers/programs.js';
import { describeKind } from './kind-suite.js';

describeKind({
  kind: sqsBroker,
  program: sqsProgram,
  missing: onlyLong ?? missingArtefacts(sqsJarThere),
  eventKinds: ['sqs'],
  idsStay: true,
  makeQueue: async ({ queue, settings }, ways) => {
    const { signal } = new AbortController();
    await callerOf(settings, ways)('CreateQueue', { QueueName: queue }, signal);
  },
});
