import { describe, expect, it } from 'vitest';
import { executionIdOf, taskIdOf } from '../../../src/std/ids.js';
import { parseQuery } from '../../../src/operation/search/parse-query.js';
import { planTasks, planWorkflows } from '../../../src/operation/search/plan.js';

const id = executionIdOf(3, Buffer.from('0123456789'));
const plan = (query: string) => planWorkflows(parseQuery(query));

describe('the plan of a search', () => {
  it('is exact where name, status and start time are all that is asked', () => {
    expect(
      plan("workflowType IN (a,b) AND status = 'FAILED' AND startTime > 5 AND startTime <= 9"),
    ).toEqual({
      ids: undefined,
      correlationIds: undefined,
      range: { names: ['a', 'b'], statuses: ['FAILED'], fromAt: 6, untilAt: 9 },
      isExact: true,
    });
    expect(plan('').isExact).toBe(true);
    expect(plan('status = RUNNING OR status = PAUSED')).toMatchObject({
      range: { statuses: ['RUNNING', 'PAUSED'] },
      isExact: true,
    });
  });

  it('leaves to be checked what an index does not know', () => {
    expect(plan('workflowType = a AND version = 2')).toMatchObject({
      range: { names: ['a'] },
      isExact: false,
    });
    expect(plan("workflowType = 'a*'").range.names).toBeUndefined();
    expect(plan('workflowType = a OR version = 2').range.names).toBeUndefined();
    expect(plan('status != RUNNING').isExact).toBe(false);
    expect(plan("status = ''").isExact).toBe(false);
    expect(plan('startTime > soon').isExact).toBe(false);
  });

  it('has each candidate checked where there are very many names or correlation ids', () => {
    const many = Array.from({ length: 101 }, (_, i) => `n${i}`).join(',');
    expect(plan(`workflowType IN (${many})`)).toMatchObject({
      range: { names: undefined },
      isExact: false,
    });
    expect(plan(`correlationId IN (${many})`).correlationIds).toBeUndefined();
    expect(planTasks(parseQuery(`workflowType IN (${many})`)).range.names).toBeUndefined();
  });

  it('takes what all clauses leave of a field', () => {
    expect(plan('workflowType IN (a,b) AND workflowType = b').range.names).toEqual(['b']);
    expect(plan('workflowType = a AND workflowType = b').range.names).toEqual([]);
    expect(plan('status = NOPE').range.statuses).toEqual([]);
  });

  it('goes by id and by correlation id', () => {
    expect(plan(`workflowId IN ('${id}', nonsense)`)).toMatchObject({ ids: [id], isExact: false });
    expect(plan('correlationId = c')).toMatchObject({ correlationIds: ['c'], isExact: false });
  });

  it('finds the executions that can hold a task', () => {
    const tasks = (query: string) => planTasks(parseQuery(query));
    expect(tasks(`taskId = '${taskIdOf(id, 7)}'`).ids).toEqual([id]);
    expect(tasks('status IN (SCHEDULED, IN_PROGRESS)').range.statuses).toEqual([
      'RUNNING',
      'PAUSED',
    ]);
    expect(tasks('status IN (SCHEDULED, FAILED)').range.statuses).toBeUndefined();
    expect(tasks('workflowType = w AND taskType = HTTP').range.names).toEqual(['w']);
  });
});
