// The audit log (docs/access.md, "Audit log"): who did what to which objects. What records it is
// lent to the kernel, which records each request that changes something.
import type { Auditor } from '../../api/audit.js';
import { TrustedProxies } from '../../api/client-address.js';
import { area } from '../area.js';
import { AuditLog } from './audit-log.js';
import { auditRoutes } from './endpoints.js';
import { RedisAuditStore } from './redis-audit-store.js';
import { auditSettings } from './settings.js';
import { SummedAudit } from './summed-audit.js';

/** Attempts to sign in and reads of secrets: how long and how many are summed. */
const sums = { windowMs: 60_000, kindsMax: 1000 };

export const audit = area({
  name: 'audit',
  about: 'The audit log: who did what, when, from where.',
  settings: auditSettings,
  records: {},
  stores: (redis, { auditEntriesMax }) => ({
    entries: new RedisAuditStore(redis, auditEntriesMax),
  }),
  needsFirst: ['clock', 'log', 'trustedProxies'],
  lends: ['auditor'],
  begin({ clock, log, trustedProxies }, { stores: { entries } }) {
    const record: Auditor['record'] = (entry) => entries.append({ at: clock.now(), ...entry });
    const summed = new SummedAudit({
      ...{ record, clock, ...sums },
      failed: (error) => log.warn({ err: error }, 'an entry of the audit log was not written'),
    });
    const proxies = new TrustedProxies(trustedProxies);
    const auditor: Auditor = {
      record,
      note: (entry) => summed.note(entry),
      addressOf: (request) =>
        proxies.clientOf(request.remoteAddress, request.header('x-forwarded-for')),
    };
    return { lent: { auditor }, ports: { auditor }, summed };
  },
  needs: [],
  provides: ['auditor'],
  build: (_ports, { stores: { entries }, begun: { summed } }) => ({
    endpoints: auditRoutes(new AuditLog(entries)),
    services: [summed],
  }),
});
