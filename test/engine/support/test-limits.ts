// Limits of the engine in tests.
import { defaultValueLimits } from '../../../src/model/value-limits.js';
import type { EngineLimits } from '../../../src/engine/context.js';

export const testLimits: EngineLimits = {
  ...defaultValueLimits,
  tasksPerExecutionMax: 100_000,
  executionBytesMax: 128 * 1024 * 1024,
  childDepthMax: 32,
  itemsPerStepMax: 500,
  variablesBytesMax: 256 * 1024,
  taskPayloadBytesMax: 10 * 1024 * 1024,
  workflowPayloadBytesMax: 10 * 1024 * 1024,
  messagesMax: 1000,
  historyEntriesMax: 3,
  objectsInText: 'json',
};
