import { describe, expect, it } from 'vitest';
import type { LookupAddress } from 'node:dns';
import { AccessRules, RefusedAddressError } from '../../src/system-task/outbound-access.js';

function rules(allowedHosts: string[], addresses: string[]): AccessRules {
  const found: LookupAddress[] = addresses.map((address) => ({ address, family: 4 }));
  return new AccessRules({ allowInside: false, allowedHosts }, (_name, answer) =>
    answer(null, found),
  );
}

function resolve(access: AccessRules): Promise<unknown> {
  return new Promise((done) =>
    access.lookup('name.test', { all: true }, (error, addresses) => done(error ?? addresses)),
  );
}

describe('AccessRules', () => {
  it('gives the addresses that it has checked', async () => {
    expect(await resolve(rules([], ['1.1.1.1', '8.8.8.8']))).toEqual([
      { address: '1.1.1.1', family: 4 },
      { address: '8.8.8.8', family: 4 },
    ]);
  });

  it('refuses a name of which one address is inside', async () => {
    const error = await resolve(rules([], ['1.1.1.1', '169.254.169.254']));
    expect(error).toBeInstanceOf(RefusedAddressError);
    expect(String(error)).toContain('name.test is inside');
    expect(String(error)).not.toContain('169.254');
  });

  it('refuses a name that has moved inside since it was last resolved', async () => {
    const addresses = ['1.1.1.1', '127.0.0.1'];
    const access = new AccessRules({ allowInside: false, allowedHosts: [] }, (_name, answer) =>
      answer(null, [{ address: addresses.shift() ?? '', family: 4 }]),
    );
    expect(await resolve(access)).toEqual([{ address: '1.1.1.1', family: 4 }]);
    expect(await resolve(access)).toBeInstanceOf(RefusedAddressError);
  });

  it('lets a listed network be reached by any name', async () => {
    expect(await resolve(rules(['10.1.0.0/16'], ['10.1.2.3']))).toEqual([
      { address: '10.1.2.3', family: 4 },
    ]);
    expect(await resolve(rules(['10.1.0.0/16'], ['10.2.2.3']))).toBeInstanceOf(RefusedAddressError);
  });

  it('knows hosts by name, by name and port, and by domain', () => {
    const access = rules(['Api.internal', 'db.internal:8080', '*.svc.local'], []);
    expect(access.isAllowedHost('api.internal', '80')).toBe(true);
    expect(access.isAllowedHost('db.internal', '8080')).toBe(true);
    expect(access.isAllowedHost('db.internal', '80')).toBe(false);
    expect(access.isAllowedHost('a.b.svc.local.', '80')).toBe(true);
    expect(access.isAllowedHost('svc.local', '80')).toBe(false);
    expect(access.isAllowedHost('evilsvc.local', '80')).toBe(false);
  });
});
