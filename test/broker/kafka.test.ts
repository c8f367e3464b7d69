import { kafkaBroker } from '../../src/broker/kafka.js';
import { missingArtefacts, onlyLong } from '../support/brokers/broker.js';
import { kafkaJarThere, kafkaProgram } from '../support/brokers/programs.js';
import { describeKind } from './kind-suite.js';

describeKind({
  kind: kafkaBroker,
  program: kafkaProgram,
  missing: onlyLong ?? missingArtefacts(kafkaJarThere),
  eventKinds: ['kafka'],
  idsStay: true,
});
