import { kafkaBroker } from '../../src/broker/kafka.js';
import { missingArtefacts, onlyLong } from '../support/brokers/broker.js';
import { kafkaJarThere, kafkaSaslProgram } from '../support/brokers/programs.js';
import { describeKind } from './kind-suite.js';

describeKind({
  kind: kafkaBroker,
  program: kafkaSaslProgram,
  missing: onlyLong ?? missingArtefacts(kafkaJarThere),
  eventKinds: ['kafka'],
  idsStay: true,
});
