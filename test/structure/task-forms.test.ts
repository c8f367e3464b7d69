// The page has a form for every task type that a definition may name (ui/src/graph/*-types.ts).
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { fieldTaskTypes } from '../../src/model/field-task-types.js';
import { projectRoot } from '../../testkit/project.js';

/** Other words for a fork, and agents, which nothing here runs. */
const without = ['FORK', 'AGENT', 'GET_AGENT_CARD', 'CANCEL_AGENT'];

describe('the declaration of task types in the page', () => {
  it('has every type of the server, and none that it does not know', () => {
    const declared = ['inside-types.ts', 'outside-types.ts'].flatMap((name) => {
      const text = fs.readFileSync(path.join(projectRoot, 'ui', 'src', 'graph', name), 'utf8');
      return [...text.matchAll(/\bkind\(\s*'([A-Z_]+)'/g)].map(([, type]) => type);
    });
    const known = [...fieldTaskTypes, 'SIMPLE', 'DYNAMIC'].filter(
      (type) => !without.includes(type),
    );
    expect(declared.toSorted()).toEqual([...new Set(known)].toSorted());
  });
});
