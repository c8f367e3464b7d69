// Measures what authentication costs a request on a hot route: the check of a remembered token and
// one question about a right. `node bin/tool.mjs bench/access`
import { Authenticator } from '../src/areas/identity/sign-in/authenticator.js';
import { EffectiveAccess } from '../src/areas/identity/rights/effective-access.js';
import { GrantIndex } from '../src/areas/identity/rights/grant-index.js';
import type { Identities } from '../src/areas/identity/identities.js';
import { Tokens } from '../src/areas/identity/sign-in/tokens.js';

const rounds = 1_000_000;
const application = {
  ...{ id: '1', name: 'a', roles: ['WORKER'], groups: [], createdBy: '', updatedBy: '' },
  ...{ createTime: 0, updateTime: 0 },
};
const identities: Identities = {
  revision: 1,
  person: () => undefined,
  timesDeleted: () => 0,
  application: () => application,
  accessKey: (id) => ({ id, applicationId: '1', secretHash: '', status: 'ACTIVE', createdAt: 0 }),
  group: () => undefined,
  customRole: () => undefined,
};
const tokens = new Tokens(Buffer.alloc(32, 1));
const authenticator = new Authenticator({
  tokens,
  identities,
  isEnded: () => false,
  rates: undefined,
  now: Date.now,
});
const grants = new GrantIndex([
  {
    subject: { type: 'USER', id: 'app:1' },
    target: { type: 'TASK_DEF', id: 'work' },
    access: ['EXECUTE'],
  },
]);
const access = new EffectiveAccess({
  identities,
  grants: () => grants,
  names: { registrationOf: () => undefined, isRegistered: () => true },
  hasTag: () => false,
});
const token = tokens.sign({ sub: 'app:1', key: 'k', iat: 1, exp: 4_000_000_000, jti: 'j' });
const sent = Buffer.from(token);

/** A request brings the text of its token as a new string each time. */
function check(): boolean {
  const caller = authenticator.caller(sent.toString('latin1'));
  return access.may(caller, 'EXECUTE', { type: 'TASK_DEF', id: 'work' });
}

for (let i = 0; i < 50_000; i++) check();
const startAt = performance.now();
for (let i = 0; i < rounds; i++) check();
const us = ((performance.now() - startAt) * 1000) / rounds;
process.stdout.write(`token and right of one request: ${us.toFixed(2)} us\n`);
