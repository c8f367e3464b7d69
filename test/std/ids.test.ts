// Execution and task ids: what is one, and what it says.
import { describe, expect, it } from 'vitest';
import {
  executionIdOf,
  numberOf,
  parseExecutionId,
  parseTaskId,
  shardOf,
  taskIdOf,
} from '../../src/std/ids.js';

const execution = executionIdOf(0xabcd, Buffer.from('0123456789', 'latin1'));

describe('an id', () => {
  it('says its shard, its execution and its task', () => {
    expect(execution).toMatch(/^abcd[0-9a-f]{4}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab].*00000000$/);
    expect(parseExecutionId(execution)).toBe(execution);
    expect(shardOf(execution, 256)).toBe(0xcd);
    for (const taskNumber of [0, 1, 63, 64, 0xdeadbeef, 0xffffffff]) {
      const taskId = taskIdOf(execution, taskNumber);
      expect(parseTaskId(taskId)).toEqual({ executionId: execution, taskNumber });
      expect(numberOf(taskId)).toBe(taskNumber);
    }
  });

  it('of a task is none of an execution', () => {
    expect(parseExecutionId(taskIdOf(execution, 1))).toBeUndefined();
  });

  it('is nothing with any other character in any place', () => {
    const others = ['', 'g', 'A', '-', '0-', ' ', '/', ':', '`', 'é', '\u0130', '\u{1f600}'];
    const form = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
    for (let at = 0; at < execution.length; at++) {
      for (const other of [...others, ...'0123456789abcdef']) {
        const text = execution.slice(0, at) + other + execution.slice(at + 1);
        expect(parseTaskId(text) !== undefined, text).toBe(form.test(text));
      }
    }
    for (const text of ['', 'task', `${execution}0`, ` ${execution}`]) {
      expect(parseTaskId(text)).toBeUndefined();
    }
  });
});
