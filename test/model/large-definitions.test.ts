// Definitions of thousands of tasks are read, checked, written and embedded with pauses; the result
// is the same as without.
import { describe, expect, it } from 'vitest';
import { atOnce, inSlices, itemsPerSlice, type Steps } from '../../src/std/slices.js';
import type { Json } from '../../src/model/json.js';
import { toJsonText } from '../../src/model/json-text.js';
import { parsingWorkflowDef, parsingWorkflowDefs } from '../../src/model/parse-workflow-def.js';
import { Snapshots } from '../../src/model/snapshot.js';
import {
  validatingWorkflowDef,
  type WorkflowRules,
} from '../../src/model/validate-workflow-def.js';
import { writingWorkflowDefJson } from '../../src/model/workflow-def-json.js';
import { parseWorkflowDef } from '../support/parse-workflow-def.js';

const slices = 5;
const big = {
  name: 'big',
  version: 1,
  ownerEmail: 'a@b.c',
  variables: { precise: 12345678901234567890n },
  tasks: Array.from({ length: slices * itemsPerSlice }, (_, i) => ({
    name: 't',
    taskReferenceName: `t${i}`,
    type: 'SIMPLE',
    inputParameters: { big: 98765432109876543210n, of: '${workflow.input.x}' },
  })),
};
const rules: WorkflowRules = {
  namesChecked: false,
  ownerEmailRequired: false,
  environmentNames: new Set<string>(),
  checkConfiguration: () => [],
};

function pausesOf(steps: Steps<unknown>): number {
  let pauses = 0;
  while (!steps.next().done) pauses++;
  return pauses;
}

describe('a definition of many tasks', () => {
  it('pauses after every slice of them', () => {
    expect(pausesOf(parsingWorkflowDef(big, ''))).toBe(slices);
    const def = parseWorkflowDef(big, '');
    expect(pausesOf(validatingWorkflowDef(def, '', rules))).toBe(2 * slices);
    expect(pausesOf(writingWorkflowDefJson(def))).toBe(slices);
  });

  it('becomes the text that it would become at once', () => {
    const def = parseWorkflowDef(big, '');
    const expected = toJsonText(def as unknown as Json);
    expect(atOnce(writingWorkflowDefJson(def))).toBe(expected);
    expect(expected).toContain('98765432109876543210');
  });

  it('becomes a snapshot with turns of the event loop in between, and the same one as at once', async () => {
    const source = {
      taskDef: () => undefined,
      workflowDef: () => undefined,
      shownInput: () => undefined,
      revision: 1,
    };
    const def = parseWorkflowDef(big, '');
    const snapshots = new Snapshots(source);
    let turns = 0;
    let isDone = false;
    const count = (): void => {
      turns++;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    await snapshots.prepare(def);
    isDone = true;
    expect(turns).toBeGreaterThanOrEqual(2 * slices);
    expect(snapshots.prepare(def)).toBeUndefined();
    expect(snapshots.of(def)).toBe(new Snapshots(source).of(parseWorkflowDef(big, '')));
  });
});

describe('many definitions', () => {
  it('pause after every slice of them too', async () => {
    const many = Array.from({ length: 3 * itemsPerSlice }, (_, i) => ({
      name: `w${i}`,
      tasks: [],
    }));
    expect(pausesOf(parsingWorkflowDefs(many, ''))).toBe(3);
    expect(await inSlices(parsingWorkflowDefs(many, ''))).toHaveLength(many.length);
  });
});
