// Where a client may put or get a large payload (contract-core 13.1). There is no external store,
// so this is the answer of a server without one: an object key and no address.
import { AppError } from '../model/errors.js';
import type { OperationContext } from './context.js';

const operations = ['READ', 'WRITE'];
const payloadTypes = ['WORKFLOW_INPUT', 'WORKFLOW_OUTPUT', 'TASK_INPUT', 'TASK_OUTPUT'];

/**
 * Throws AppError 'bad-request' for an unknown operation or payload type (case does not matter).
 */
export function externalPayloadLocation(
  context: OperationContext,
  request: { path: string; operation: string; payloadType: string },
): { path: string } {
  const { path, operation, payloadType } = request;
  if (
    !operations.includes(operation.toUpperCase()) ||
    !payloadTypes.includes(payloadType.toUpperCase())
  ) {
    throw new AppError(
      'bad-request',
      `Invalid input - Operation: ${operation}, PayloadType: ${payloadType}`,
    );
  }
  return { path: `${path}${context.randomId()}.json` };
}
