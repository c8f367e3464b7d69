// Answers that explain what an execution, a task or a queue waits for: schemas and types.
import { anyObject, integer, list, object, oneOf, text, time, type ValueOf } from './schema.js';
import { workflowStatuses } from './status.js';

export const waitReasonSchema = object(
  'WaitReason',
  {
    kind: text('What it waits for'),
    reason: text('One sentence for people'),
    moves: text('What would move it on'),
    taskId: text('Id of the task'),
    referenceTaskName: text('Name of the task within the workflow'),
    untilTime: time('When it moves on or is given up by itself, epoch milliseconds'),
    data: { ...anyObject, description: 'Facts behind the sentence' },
  },
  ['kind', 'reason', 'moves', 'data'],
);
/** One thing that is waited for. */
export type WaitReason = ValueOf<typeof waitReasonSchema>;

export const whySchema = object(
  'WhyAnswer',
  {
    workflowId: text('Id of the execution'),
    status: oneOf(workflowStatuses),
    reason: text('One sentence over all reasons'),
    waitsFor: list(waitReasonSchema, 'Reasons of the execution, then of its open tasks'),
    omitted: integer('Open tasks beyond those'),
    nextMoveTime: time('When it moves by itself, epoch milliseconds; 0 for never'),
  },
  ['workflowId', 'status', 'reason', 'waitsFor', 'omitted', 'nextMoveTime'],
);
export type WhyAnswer = ValueOf<typeof whySchema>;

export const queueWhySchema = object(
  'QueueWhy',
  {
    waiting: integer('Tasks that wait'),
    leased: integer('Tasks that workers hold'),
    reason: text('One sentence over its state'),
    waitsFor: list(waitReasonSchema, 'What holds it up, and whether it has a definition'),
  },
  ['waiting', 'leased', 'reason', 'waitsFor'],
);
export type QueueWhy = ValueOf<typeof queueWhySchema>;
