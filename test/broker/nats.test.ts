import { natsBroker } from '../../src/broker/nats.js';
import { missingProgram } from '../support/brokers/broker.js';
import { natsProgram } from '../support/brokers/programs.js';
import { describeKind } from './kind-suite.js';

describeKind({
  kind: natsBroker,
  program: natsProgram,
  missing: missingProgram(natsProgram.command),
  eventKinds: ['nats'],
  idsStay: true,
});
