// Names that a grant would read as more than one resource, and grants on all resources of a type
// beside a resource of that name.
import { describe, expect, it } from 'vitest';
import { GrantIndex } from '../../src/areas/identity/rights/grant-index.js';
import type { Grant } from '../../src/areas/identity/identities.js';
import { resourceNameFault } from '../../src/access/resource-names.js';

describe('a name of a resource', () => {
  it.each([
    ['*', /'\*'/],
    ['order*', /'\*'/],
    ['app:1', /'app:'/],
    ['APP:1', /'APP:'/],
    ['USER:a@x.org', /'USER:'/],
    ['WORKFLOW_DEF:orders', /'WORKFLOW_DEF:'/],
    ['TAG:k:v', /'TAG:'/],
    ['orders:', /':'/],
    ['orders\ud800', /surrogate/],
    ['\udc00orders', /surrogate/],
  ])('%j is refused', (name, fault) => expect(resourceNameFault(name)).toMatch(fault));

  it.each([
    'orders',
    'caf\u00e9',
    '\ud83d\ude00',
    '\ufffd',
    'a:b',
    'application',
    'user:a',
    'ORDER:1',
    'my app:1',
    'x@y.org',
  ])('%j may be used', (name) => expect(resourceNameFault(name)).toBeUndefined());
});

describe('a grant on *', () => {
  const grant: Grant = {
    subject: { type: 'USER', id: 'b' },
    target: { type: 'WORKFLOW_DEF', id: '*' },
    access: ['READ'],
  };

  it('reaches every resource of the type', () => {
    const index = new GrantIndex([grant]);
    expect(index.direct('USER:b', 'WORKFLOW_DEF', 'orders')).not.toBe(0);
    expect(index.direct('USER:b', 'WORKFLOW_DEF', undefined)).not.toBe(0);
  });

  it('reaches only the resource of that name while there is one', () => {
    const index = new GrantIndex([grant], (type) => type !== 'WORKFLOW_DEF');
    expect(index.direct('USER:b', 'WORKFLOW_DEF', 'orders')).toBe(0);
    expect(index.direct('USER:b', 'WORKFLOW_DEF', undefined)).toBe(0);
    expect(index.direct('USER:b', 'WORKFLOW_DEF', '*')).not.toBe(0);
  });
});
