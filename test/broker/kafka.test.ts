import fs from 'node:fs';
import { kafkaBroker } from '../../src/broker/kafka.js';
import { missingProgram, setUpHint } from '../support/brokers/broker.js';
import { kafkaJarThere, kafkaProgram } from '../support/brokers/programs.js';
import { describeKind } from './kind-suite.js';

describeKind({
  kind: kafkaBroker,
  program: kafkaProgram,
  missing: fs.existsSync(kafkaJarThere)
    ? missingProgram(kafkaProgram.command)
    : `skipped: there are no artefacts of Kafka (${setUpHint})`,
  eventKinds: ['kafka'],
  idsStay: true,
});
