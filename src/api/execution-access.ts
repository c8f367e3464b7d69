// Access rules of endpoints that touch executions: the right is that on the definition of the
// execution, which only the operation knows (contract-admin 6.4).
import type { AccessRule } from './endpoint.js';

/** Shows executions. */
export const readsExecutions: AccessRule = { rule: 'each', type: 'WORKFLOW_DEF', right: 'READ' };

/** Starts executions, changes them or reports to them. */
export const changesExecutions: AccessRule = {
  rule: 'each',
  type: 'WORKFLOW_DEF',
  right: 'EXECUTE',
};

export const administrators: AccessRule = { rule: 'administrator' };
