// Schemas of task queues and of who polls them (contract-core 4.6, 17.2, 18.4).
import { integer, mapOf, object, text, time } from '../../model/schema.js';

/** Waiting tasks by name of the queue. */
export const queueSizesSchema = mapOf(integer(), 'Waiting tasks by name of the queue');

export const queuePartsSchema = mapOf(
  object(
    'QueueParts',
    { a: object('QueueSize', { size: integer('Waiting'), uacked: integer('Polled') }) },
    ['a'],
  ),
  'Sizes by name of the queue',
);

export const pollDataSchema = object(
  'PollData',
  {
    queueName: text('Task type'),
    domain: text('Domain; absent for none'),
    workerId: text('Who polled last'),
    lastPollTime: time(),
  },
  ['queueName', 'lastPollTime'],
);
