// How many executions others have is told to nobody who may not read them.
import { describe, expect, it } from 'vitest';
import { everythingAllowed, type AccessRules } from '../../../src/access/access-rules.js';
import type { Caller } from '../../../src/model/caller.js';
import { readableCandidates } from '../../../src/operation/search/candidates.js';
import { omittedOf } from '../../../src/operation/search/failure-groups.js';
import { parseQuery } from '../../../src/operation/search/parse-query.js';
import { planTasks } from '../../../src/operation/search/plan.js';
import { checkCandidates, defaultSearchLimits } from '../../../src/operation/search/request.js';
import { executionIdOf } from '../../../src/std/ids.js';
import type { SearchStore } from '../../../src/store/search-store.js';

const nothing: AccessRules = { ...everythingAllowed, may: () => false };
const caller: Caller = {
  ...{ kind: 'user', id: 'kim@x.co', roles: [], groups: [] },
};
const limits = { ...defaultSearchLimits, headersMax: 3 };
const search = (access: AccessRules) => ({ limits, context: { access } });

describe('a search of one who may read few executions', () => {
  it('that is too broad names no number of others', () => {
    expect(() => checkCandidates(search(nothing), caller, 1234)).toThrow(/more than 3 executions/);
    expect(() => checkCandidates(search(nothing), caller, 1234)).not.toThrow(/1234/);
    expect(() => checkCandidates(search(everythingAllowed), caller, 1234)).toThrow(/1234/);
    expect(() => checkCandidates(search(nothing), caller, 3)).not.toThrow();
  });

  it('for tasks is refused before an execution of others is counted or read', async () => {
    const ids = Array.from({ length: 4 }, (_, at) => executionIdOf(at, Buffer.alloc(10, at)));
    const store: Pick<SearchStore, 'list' | 'correlated' | 'headers'> = {
      list: async () => ids.map((id, startedAt) => ({ id, startedAt })),
      correlated: async () => [],
      headers: async () => [],
    };
    const asked = planTasks(parseQuery('taskType = HTTP'));
    await expect(readableCandidates({ ...search(nothing), store }, caller, asked)).rejects.toThrow(
      /more than 3 executions/,
    );
  });

  it('tells that some were left out, not how many', () => {
    expect(omittedOf(search(nothing), caller, 77)).toBe(1);
    expect(omittedOf(search(nothing), caller, 0)).toBe(0);
    expect(omittedOf(search(everythingAllowed), caller, 77)).toBe(77);
  });
});
