// Whose an execution is when the name of its definition changes hands (docs/access.md, "Whose
// executions").
import { describe, expect, it } from 'vitest';
import type { AccessRules } from '../../src/access/access-rules.js';
import { mayOnExecution } from '../../src/access/execution-rights.js';
import {
  heldSince,
  isNameHeld,
  type OwnedExecution,
  type RegisteredNames,
} from '../../src/access/owned-execution.js';
import type { Caller } from '../../src/model/caller.js';
import type { Registration } from '../../src/model/name-registration.js';

const first: Registration = { id: 'one', at: 100, by: 'a' };
const second: Registration = { id: 'two', at: 200, by: 'b' };

function names(registration: Registration | undefined, isRegistered: boolean): RegisteredNames {
  return { registrationOf: () => registration, isRegistered: () => isRegistered };
}

const now = {
  first: names(first, true),
  second: names(second, true),
  earlier: names(undefined, true),
  nobody: names(undefined, false),
};

const execution = (facts: Partial<OwnedExecution>): OwnedExecution => ({
  name: 'n',
  createdBy: 'a',
  startedAt: 150,
  ...facts,
});

describe('rights by name', () => {
  it.each<[string, Partial<OwnedExecution>, keyof typeof now, boolean]>([
    ['same', { nameOwner: { registration: 'one', owner: 'a' } }, 'first', true],
    ['new', { nameOwner: { registration: 'one', owner: 'a' } }, 'second', false],
    ['deleted', { nameOwner: { registration: 'one', owner: 'a' } }, 'nobody', false],
    ['deleted, then by an earlier version', { nameOwner: { registration: 'one', owner: 'a' } }, 'earlier', false],
    ['of an earlier version', { nameOwner: { registration: '-', owner: 'a' } }, 'earlier', true],
    ['of an earlier version, new', { nameOwner: { registration: '-', owner: 'a' } }, 'second', false],
    ['ad hoc', { nameOwner: { registration: '', owner: 'a' } }, 'nobody', true],
    ['ad hoc, registered', { nameOwner: { registration: '', owner: 'a' } }, 'second', false],
    ['not kept', {}, 'earlier', true],
    ['not kept, nobody', {}, 'nobody', true],
    ['not kept, began before', {}, 'second', false],
    ['not kept, began after', { startedAt: 250 }, 'second', true],
    ['not kept, by the starter', { createdBy: 'b' }, 'second', true],
  ])('of a registration that is %s', (_what, facts, registered, isHeld) => {
    expect(isNameHeld(now[registered], execution(facts))).toBe(isHeld);
  }); // prettier-ignore

  it('count for all of a name from its registration on, and for all that began under the first', () => {
    expect(heldSince(now.second, 'n')).toBe(200);
    expect(heldSince(names({ ...second, isFirst: true }, true), 'n')).toBe(0);
    expect(heldSince(now.earlier, 'n')).toBe(0);
    expect(heldSince(now.nobody, 'n')).toBeUndefined();
  });
});

describe('a caller', () => {
  const caller = (id: string): Caller => ({ kind: 'user', id, roles: [], groups: [] });
  /** `reader` has READ on the name, `viewer` on all. */
  const rules = (registered: RegisteredNames): AccessRules => ({
    may: ({ id: who }, right, { id }) =>
      right === 'READ' && (who === 'viewer' || (who === 'reader' && id === 'n')),
    isNameHeld: (each) => isNameHeld(registered, each),
    heldSince: (name) => heldSince(registered, name),
    hasPermission: () => false,
  });
  const readers = (registered: RegisteredNames, facts: Partial<OwnedExecution>): string[] =>
    ['owner', 'starter', 'reader', 'viewer', 'stranger', ''].filter((id) =>
      mayOnExecution(rules(registered), caller(id), 'READ', execution(facts)),
    );
  const facts = { createdBy: 'starter', nameOwner: { registration: 'one', owner: 'owner' } };

  it('goes by rights on the name while it is held, and by what is its own after that', () => {
    expect(readers(now.first, facts)).toEqual(['reader', 'viewer']);
    expect(readers(now.second, facts)).toEqual(['owner', 'starter', 'viewer']);
    expect(readers(now.nobody, facts)).toEqual(['owner', 'starter', 'viewer']);
  });

  it('acts on what it started inline, under whatever name', () => {
    const inline = { ...facts, nameOwner: { ...facts.nameOwner, isInline: true as const } };
    expect(readers(now.first, inline)).toEqual(['starter', 'reader', 'viewer']);
    const adHoc = { createdBy: 'starter', nameOwner: { registration: '', owner: 'starter' } };
    expect(readers(now.nobody, adHoc)).toEqual(['starter', 'reader', 'viewer']);
  });

  it('without an id owns nothing', () => {
    const open = { createdBy: '', nameOwner: { registration: '', owner: '' } };
    expect(readers(now.second, open)).toEqual(['viewer']);
  });
});
