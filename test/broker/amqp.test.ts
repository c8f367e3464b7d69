import { amqpBroker } from '../../src/broker/amqp.js';
import { missingProgram, onlyLong } from '../support/brokers/broker.js';
import { rabbitProgram } from '../support/brokers/programs.js';
import { describeKind } from './kind-suite.js';

describeKind({
  kind: amqpBroker,
  program: rabbitProgram,
  missing: onlyLong ?? missingProgram(rabbitProgram.command),
  eventKinds: ['amqp', 'amqp_exchange'],
  idsStay: true,
});
