// Schemas of answers about the server itself (contract-core 20.3).
import { anything, flag, integer, list, object, oneOf, text } from '../../model/schema.js';

export const healthSchema = object(
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
      jobs: list(
        object(
          'JobState',
          {
            name: text('Name of the job'),
            runsOn: text('node, owner (of shards) or leader'),
            everyMs: integer('From the end of a run to the next one, ms'),
            runs: integer('Runs that ended since it was started'),
            failures: integer('Those that failed'),
            lastRunTime: integer('End of the last run, epoch ms'),
            lastError: text('Kind of the last error; the log of the node has its sentence'),
          },
          ['name', 'runsOn', 'everyMs', 'runs', 'failures'],
        ),
        'Loops of this node that wake by themselves',
      ),
      silentLoops: list(text(), 'Loops of this node that do not come round'),
      processes: list(
        object(
          'ProcessHealth',
          {
            node: text('Id of its node'),
            healthy: flag('Whether it can serve'),
            why: text('Why it cannot, or that it does not answer'),
          },
          ['node', 'healthy'],
        ),
        'Processes of this start, where it runs several',
      ),
      unreachableBrokers: integer('Connections to brokers that are down'),
    }),
  },
  ['healthy'],
);

/** As probes of other servers of this API read it. */
export const actuatorHealthSchema = object('ActuatorHealth', { status: oneOf(['UP', 'DOWN']) }, [
  'status',
]);
