// Parts that the endpoints of executions share. The right that counts is that on the definition of
// the execution, which only the operation knows (contract-admin 6.4).
import { query, type AccessRule } from './endpoint.js';
import { integer, text } from '../model/schema.js';

export const readsExecutions: AccessRule = { rule: 'each', type: 'WORKFLOW_DEF', right: 'READ' };

/** Starts executions, changes them or reports to them. */
export const changesExecutions: AccessRule = {
  rule: 'each',
  type: 'WORKFLOW_DEF',
  right: 'EXECUTE',
};

export const administrators: AccessRule = { rule: 'administrator' };

/** Every control takes it. */
export const reason = query(text('Why, in the words of the caller'));

/** Of calls that wait until an execution has ended or blocks. */
export const waitParameters = {
  requestId: query(text('Id of the call; drawn when absent')),
  waitUntilTaskRef: query(text('Reference names that end the wait, with commas between')),
  waitForSeconds: query(integer('Longest wait', { default: 10 })),
};
