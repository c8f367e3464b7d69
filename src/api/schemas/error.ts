// Schema of the body of a refusal (contract-core 2.1, 2.2).
import { anyObject, flag, integer, list, object, text } from '../../model/schema.js';

export const errorSchema = object(
  'ErrorResponse',
  {
    status: integer('The HTTP status'),
    message: text('One sentence for people'),
    instance: text('Name of the server; absent for violated rules'),
    retryable: flag('Whether the same call may succeed later'),
    error: text('401 and 403: whether a new token helps'),
    validationErrors: list(
      object(
        'ValidationError',
        {
          path: text('Operation, argument and field'),
          message: text('The violated rule'),
          invalidValue: text('The refused value, when it is no list and no object'),
        },
        ['path', 'message'],
      ),
      'Violated rules',
    ),
    metadata: anyObject,
  },
  ['status', 'retryable'],
);
