import { redisStreamBroker } from '../../src/broker/redis-stream.js';
import { missingProgram } from '../support/brokers/broker.js';
import { redisProgram } from '../support/brokers/programs.js';
import { describeKind } from './kind-suite.js';

describeKind({
  kind: redisStreamBroker,
  program: redisProgram,
  missing: missingProgram(redisProgram.command),
  eventKinds: ['redis_stream'],
  idsStay: true,
});
