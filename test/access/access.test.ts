// Tokens, passwords, sealed values and effective access, without a server.
import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { rights, targetTypes, type Right, type TargetType } from '../../src/access/access-rules.js';
import { Authenticator, callerOf } from '../../src/areas/identity/sign-in/authenticator.js';
import { EffectiveAccess } from '../../src/areas/identity/rights/effective-access.js';
import { GrantIndex } from '../../src/areas/identity/rights/grant-index.js';
import type { Grant, Identities, Person } from '../../src/areas/identity/identities.js';
import { hashKeySecret, isKeySecret } from '../../src/areas/identity/applications/key-secrets.js';
import { hashPassword, isPassword } from '../../src/areas/identity/sign-in/passwords.js';
import { RequestRates } from '../../src/std/request-rates.js';
import { parsePermission } from '../../src/areas/identity/roles/roles.js';
import { keyIdOf, seal, unseal } from '../../src/access/sealed-value.js';
import { parseKeys } from '../../src/access/sealing-keys.js';
import { systemRoleNames } from '../../src/areas/identity/roles/system-roles.js';
import { Tokens } from '../../src/areas/identity/sign-in/tokens.js';
import { anonymous, localAdministrator, type Caller } from '../../src/model/caller.js';

const secret = Buffer.alloc(32, 7);
const claims = { sub: 'a@x.org', iat: 1000, exp: 2000, jti: 'one', gen: 'g' };

describe('a token', () => {
  it('is believed by every node with the secret until it expires', () => {
    const token = new Tokens(secret).sign(claims);
    const other = new Tokens(Buffer.from(secret));
    expect(other.check(token, 1_999_999)).toMatchObject({ kind: 'valid', claims });
    expect(other.check(token, 2_000_000)).toEqual({ kind: 'expired' });
    expect(new Tokens(Buffer.alloc(32, 8)).check(token, 0)).toEqual({ kind: 'invalid' });
  });

  it('is refused when any character of it is changed', () => {
    const tokens = new Tokens(secret);
    const token = tokens.sign(claims);
    // The last character of base64url may carry bits that count for nothing.
    fc.assert(
      fc.property(fc.nat(token.length - 2), fc.constantFrom('A', 'b', '-', '.'), (at, other) => {
        const changed = token.slice(0, at) + other + token.slice(at + 1);
        if (changed !== token) expect(tokens.check(changed, 0).kind).toBe('invalid');
      }),
    );
  });

  it('may not choose its algorithm', () => {
    const part = (value: object): string =>
      Buffer.from(JSON.stringify(value)).toString('base64url');
    const body = part({ iss: 'downbeat', ...claims });
    const tokens = new Tokens(secret);
    for (const header of [{ alg: 'none', typ: 'JWT' }, { alg: 'HS256' }, { alg: 'RS256' }]) {
      expect(tokens.check(`${part(header)}.${body}.`, 0)).toEqual({ kind: 'invalid' });
    }
  });
});

describe('a password', () => {
  it('is checked against its hash, and nobody has one', async () => {
    const hash = await hashPassword('correct horse');
    expect(hash).not.toContain('correct');
    expect(await isPassword('correct horse', hash)).toBe(true);
    expect(await isPassword('correct hors', hash)).toBe(false);
    expect(await isPassword('', undefined)).toBe(false);
  });

  it('of a key is kept as a digest', () => {
    expect(isKeySecret('s', hashKeySecret('s'))).toBe(true);
    expect(isKeySecret('t', hashKeySecret('s'))).toBe(false);
  });
});

describe('a sealed value', () => {
  const [first, second] = parseKeys(
    `one:${Buffer.alloc(32, 1).toString('base64')}\n# old\ntwo:${Buffer.alloc(32, 2).toString('base64')}`,
    'test',
  ) as [{ id: string; bytes: Buffer }, { id: string; bytes: Buffer }];

  it('opens with its key, for its owner, and unchanged only', () => {
    const sealed = seal('plain text ü', 'secret:a', first);
    expect(sealed).not.toContain('plain');
    expect(keyIdOf(sealed)).toBe('one');
    expect(unseal(sealed, 'secret:a', first)).toBe('plain text ü');
    expect(() => unseal(sealed, 'secret:b', first)).toThrow();
    expect(() => unseal(sealed, 'secret:a', second)).toThrow();
    const changed = sealed.slice(0, -4) + (sealed.endsWith('AAAA') ? 'BBBB' : 'AAAA');
    expect(() => unseal(changed, 'secret:a', first)).toThrow();
    expect(seal('plain text ü', 'secret:a', first)).not.toBe(sealed);
  });

  it('needs keys of 32 bytes, and tells nothing of one that is not', () => {
    expect(() => parseKeys('short:c2VjcmV0', 'the file k')).toThrow(/^Key 1 of the file k must be/);
    expect(() => parseKeys('short:c2VjcmV0', 'k')).not.toThrow(/c2VjcmV0/);
  });
});

function person(id: string, roles: readonly string[], groups: readonly string[] = []): Person {
  return { id, name: id, roles, groups, contactInformation: {}, uuid: id, generation: 'g' };
}

function identitiesOf(persons: readonly Person[], groupRoles: Record<string, string[]> = {}) {
  const state = { revision: 0, persons: new Map(persons.map((each) => [each.id, each])) };
  const identities: Identities = {
    get revision() {
      return state.revision;
    },
    person: (id) => state.persons.get(id),
    timesDeleted: () => 0,
    application: () => undefined,
    accessKey: () => undefined,
    group: (id) =>
      groupRoles[id] === undefined
        ? undefined
        : { id, description: id, roles: groupRoles[id], defaultAccess: {}, contactInformation: {} },
    customRole: (name) =>
      name === 'custom' ? { name, permissions: ['READ_SECRET', 'EXECUTE_TASK_DEF'] } : undefined,
  };
  return { identities, state };
}

describe('the authenticator', () => {
  it('forgets what it knew with every change of identities', () => {
    const { identities, state } = identitiesOf([person('a@x.org', ['USER'])]);
    const tokens = new Tokens(secret);
    const authenticator = new Authenticator({
      tokens,
      identities,
      isEnded: () => false,
      rates: undefined,
      now: () => 1_500_000,
    });
    const token = tokens.sign(claims);
    expect(authenticator.caller(token)).toMatchObject({ id: 'a@x.org', roles: ['USER'] });
    expect(authenticator.caller(token)).toBe(authenticator.caller(token));
    state.persons.delete('a@x.org');
    state.revision++;
    expect(() => authenticator.caller(token)).toThrow(/deleted/);
  });

  it('counts the roles of groups that exist', () => {
    const { identities } = identitiesOf([person('a', ['USER'], ['g', 'gone'])], { g: ['WORKER'] });
    expect(callerOf('a', identities)).toMatchObject({ roles: ['USER', 'WORKER'], groups: ['g'] });
    expect(callerOf('b', identities)).toBeUndefined();
  });
});

const caller = (over: Partial<Caller>): Caller => ({
  kind: 'user',
  id: 'u',
  roles: [],
  groups: [],
  ...over,
});

function rulesOf(grants: readonly Grant[], tagged: readonly string[] = []): EffectiveAccess {
  const index = new GrantIndex(grants);
  return new EffectiveAccess({
    identities: identitiesOf([]).identities,
    grants: () => index,
    names: { registrationOf: () => undefined, isRegistered: () => true },
    hasTag: (type, id, tag) => tagged.includes(`${type}:${id} ${tag}`),
  });
}

const read = (type: TargetType, id: string, subject: Grant['subject']): Grant => ({
  subject,
  target: { type, id },
  access: ['READ'],
});

describe('effective access', () => {
  it('is nothing without role and grant, and all for administrators', () => {
    const rules = rulesOf([]);
    for (const type of targetTypes) {
      for (const right of rights) {
        expect(rules.may(caller({}), right, { type, id: 'x' })).toBe(false);
        expect(rules.may(anonymous, right, { type, id: 'x' })).toBe(false);
        expect(rules.may(localAdministrator, right, { type, id: 'x' })).toBe(true);
        expect(rules.may(caller({ roles: ['ADMIN'] }), right, { type, id: undefined })).toBe(true);
      }
    }
  });

  it('comes from a grant to the caller, its group or its role, of that right on that target', () => {
    const user = { type: 'USER', id: 'u' } as const;
    const target = { type: 'WORKFLOW_DEF', id: 'w' } as const;
    for (const subject of [
      user,
      { type: 'GROUP', id: 'g' } as const,
      { type: 'ROLE', id: 'USER' } as const,
    ]) {
      const rules = rulesOf([read('WORKFLOW_DEF', 'w', subject)]);
      const has = caller({ roles: ['USER'], groups: ['g'] });
      expect(rules.may(has, 'READ', target)).toBe(true);
      expect(rules.may(has, 'EXECUTE', target)).toBe(false);
      expect(rules.may(has, 'READ', { ...target, id: 'v' })).toBe(false);
      expect(rules.may(caller({ id: 'other' }), 'READ', target)).toBe(false);
    }
    const onAll = rulesOf([read('WORKFLOW_DEF', '*', user)]);
    expect(onAll.may(caller({}), 'READ', target)).toBe(true);
    expect(onAll.may(caller({}), 'READ', { type: 'TASK_DEF', id: 'w' })).toBe(false);
  });

  it('comes from tags, from the domain of a task and from the provider of an integration', () => {
    const user = { type: 'USER', id: 'u' } as const;
    const byTag = rulesOf([read('TAG', 'team:ops', user)], ['SECRET_NAME:s team:ops']);
    expect(byTag.may(caller({}), 'READ', { type: 'SECRET_NAME', id: 's' })).toBe(true);
    expect(byTag.may(caller({}), 'READ', { type: 'SECRET_NAME', id: 't' })).toBe(false);
    const byDomain = rulesOf([{ ...read('DOMAIN', 'd', user), access: ['EXECUTE'] }]);
    const polled = { type: 'TASK_DEF', id: 't' } as const;
    expect(byDomain.may(caller({}), 'EXECUTE', { ...polled, domain: 'd' })).toBe(true);
    expect(byDomain.may(caller({}), 'EXECUTE', polled)).toBe(false);
    const byProvider = rulesOf([read('INTEGRATION_PROVIDER', 'p', user)]);
    expect(byProvider.may(caller({}), 'READ', { type: 'INTEGRATION', id: 'p:m' })).toBe(true);
    expect(byProvider.may(caller({}), 'READ', { type: 'INTEGRATION', id: 'q:m' })).toBe(false);
  });

  it('of an application needs a role to poll and to change definitions', () => {
    const subject = { type: 'USER', id: 'app:1' } as const;
    const all = (type: TargetType): Grant => ({
      subject,
      target: { type, id: 'x' },
      access: [...rights],
    });
    const rules = rulesOf([all('TASK_DEF'), all('WORKFLOW_DEF')]);
    const may = (roles: string[], right: Right, type: TargetType): boolean =>
      rules.may(caller({ kind: 'application', id: 'app:1', roles }), right, { type, id: 'x' });
    expect(may([], 'EXECUTE', 'TASK_DEF')).toBe(false);
    expect(may(['WORKER'], 'EXECUTE', 'TASK_DEF')).toBe(true);
    expect(may([], 'EXECUTE', 'WORKFLOW_DEF')).toBe(true);
    expect(may(['WORKER'], 'UPDATE', 'WORKFLOW_DEF')).toBe(false);
    expect(may(['METADATA_API'], 'UPDATE', 'WORKFLOW_DEF')).toBe(true);
  });

  it('of roles is what contract-admin 5.2 says', () => {
    const rules = rulesOf([]);
    const may = (role: string, right: Right, type: TargetType): boolean =>
      rules.may(caller({ roles: [role] }), right, { type, id: 'x' });
    const who = (right: Right, type: TargetType): string[] =>
      systemRoleNames.filter((role) => may(role, right, type));
    expect(who('CREATE', 'WORKFLOW_DEF')).toEqual([
      'ADMIN',
      'USER',
      'METADATA_MANAGER',
      'METADATA_API',
    ]);
    expect(who('READ', 'WORKFLOW_DEF')).toEqual([
      'ADMIN',
      'METADATA_MANAGER',
      'WORKFLOW_MANAGER',
      'USER_READ_ONLY',
    ]);
    expect(who('DELETE', 'TASK_DEF')).toEqual(['ADMIN', 'METADATA_MANAGER']);
    expect(who('EXECUTE', 'WORKFLOW_DEF')).toEqual(['ADMIN', 'WORKFLOW_MANAGER']);
    expect(who('EXECUTE', 'TASK_DEF')).toEqual(['ADMIN', 'UNRESTRICTED_WORKER']);
    expect(who('CREATE', 'SECRET_NAME')).toEqual(['ADMIN', 'USER', 'METADATA_MANAGER']);
    expect(who('READ', 'SECRET_NAME')).toEqual(['ADMIN']);
    expect(who('UPDATE', 'ENV_VARIABLE')).toEqual(['ADMIN', 'METADATA_MANAGER']);
    expect(who('CREATE', 'APPLICATION')).toEqual([
      'ADMIN',
      'USER',
      'APPLICATION_CREATOR',
      'APPLICATION_MANAGER',
    ]);
    expect(may('custom', 'READ', 'SECRET_NAME')).toBe(true);
    expect(may('custom', 'UPDATE', 'SECRET_NAME')).toBe(false);
    expect(parsePermission('READ_PLANET')).toBeUndefined();
  });
});

describe('a request rate', () => {
  it('lets a burst pass and then one by one', () => {
    const rates = new RequestRates({ burst: 2, refillMs: 100 });
    expect([rates.take('a', 0), rates.take('a', 0), rates.take('b', 0)]).toEqual(
      Array(3).fill(undefined),
    );
    expect(rates.take('a', 0)).toBe(100);
    expect(rates.take('a', 60)).toBe(40);
    expect(rates.take('a', 100)).toBeUndefined();
    expect(rates.waitMs('a', 10_000)).toBeUndefined();
  });
});
