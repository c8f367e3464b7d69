// Searches for words in the text index show a caller what it may read (docs/access.md, "Whose
// executions").
import { expect, it } from 'vitest';
import type { AccessRules } from '../../../src/access/access-rules.js';
import {
  heldSince,
  isNameHeld,
  type RegisteredNames,
} from '../../../src/access/owned-execution.js';
import type { Caller } from '../../../src/model/caller.js';
import type { NameOwner } from '../../../src/model/name-registration.js';
import { workflowStatuses, type WorkflowStatus } from '../../../src/model/status.js';
import { executionIdOf, type ExecutionId } from '../../../src/std/ids.js';
import { readableOwned } from '../../../src/operation/access.js';
import { findByText, textQuestion } from '../../../src/operation/search/find-by-text.js';
import { IndexedDocuments } from '../../../src/operation/search/indexed-documents.js';
import { parseFreeText } from '../../../src/operation/search/parse-free-text.js';

/** `moved` was registered anew at 100 by `new`; nobody has registered `adhoc`. */
const names: RegisteredNames = {
  registrationOf: (name) => (name === 'moved' ? { id: 'two', at: 100, by: 'new' } : undefined),
  isRegistered: (name) => name === 'moved',
};
const access: AccessRules = {
  may: ({ id: who }, _right, { id }) => who === 'viewer' || (who === 'new' && id === 'moved'),
  isNameHeld: (execution) => isNameHeld(names, execution),
  heldSince: (name) => heldSince(names, name),
  hasPermission: () => false,
};

const index = new IndexedDocuments<ExecutionId, WorkflowStatus>(workflowStatuses);
const labels = new Map<string, string>();

function put(
  label: string,
  facts: { name: string; startedAt: number; createdBy: string; nameOwner?: NameOwner },
): void {
  const id = executionIdOf(1, Buffer.from(String(labels.size).repeat(10)));
  labels.set(id, label);
  index.put(id, { ...facts, status: 'RUNNING' }, 'the word');
}

put('old', {
  ...{ name: 'moved', startedAt: 50, createdBy: 'old' },
  nameOwner: { registration: 'one', owner: 'old' },
});
put('new', {
  ...{ name: 'moved', startedAt: 150, createdBy: 'somebody' },
  nameOwner: { registration: 'two', owner: 'new' },
});
put('not kept, before', { name: 'moved', startedAt: 60, createdBy: 'old' });
put('not kept, after', { name: 'moved', startedAt: 160, createdBy: 'somebody' });
put('adhoc', {
  ...{ name: 'adhoc', startedAt: 50, createdBy: 'old' },
  nameOwner: { registration: '', owner: 'old', isInline: true },
});

it.each([
  ['old', ['adhoc', 'not kept, before', 'old']],
  ['new', ['new', 'not kept, after']],
  ['viewer', ['adhoc', 'new', 'not kept, after', 'not kept, before', 'old']],
  ['stranger', []],
])('%s finds what it may read', async (id, found) => {
  const caller: Caller = { kind: 'user', id, roles: [], groups: [] };
  const question = textQuestion(parseFreeText('word', () => false));
  if (question === undefined) throw new Error('This asks for words');
  const { documents } = await findByText(index, question, readableOwned(access, caller));
  expect(documents.map((document) => labels.get(index.idOf(document))).sort()).toEqual(found);
});
