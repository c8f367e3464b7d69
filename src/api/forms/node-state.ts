// Forms of answers about the server itself (contract-core 20.3).
import { anything, flag, integer, list, object, text, type Form } from '../form.js';

export const healthForm: Form = object(
  'Health',
  {
    healthResults: list(anything, 'Always empty'),
    suppressedHealthResults: list(anything, 'Always empty'),
    healthy: flag('Whether the server can serve'),
    details: object('HealthDetails', {
      durability: text('What is lost when Redis dies'),
      node: text('Id of the node'),
      why: text('Why it cannot serve'),
      quarantinedExecutions: integer('Executions that this node has set aside'),
      silentLoops: list(text(), 'Loops of this node that do not come round'),
      unreachableBrokers: integer('Connections to brokers that are down'),
    }),
  },
  ['healthy'],
);
