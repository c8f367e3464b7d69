// The areas that have a room of their own, in the order in which they are built: one that provides
// a port stands before those that need it. This is the one place that names them.
import { audit } from './audit/area.js';
import { bulkJobs } from './bulk-jobs/area.js';
import { events } from './events/area.js';
import { facts } from './facts/area.js';
import { fsck } from './fsck/area.js';
import { human } from './human/area.js';
import { identity } from './identity/area.js';
import { imports } from './imports/area.js';
import { integrations } from './integrations/area.js';
import { live } from './live/area.js';
import { outgoing } from './outgoing/area.js';
import { prompts } from './prompts/area.js';
import { quarantine } from './quarantine/area.js';
import { remoteServices } from './remote-services/area.js';
import { schedules } from './schedules/area.js';
import { schemas } from './schemas/area.js';
import { secrets } from './secrets/area.js';
import { statistics } from './statistics/area.js';
import { storage } from './storage/area.js';
import { tags } from './tags/area.js';
import { webhooks } from './webhooks/area.js';

export const areas = [
  audit,
  identity,
  secrets,
  storage,
  integrations,
  events,
  outgoing,
  schedules,
  webhooks,
  schemas,
  human,
  statistics,
  bulkJobs,
  live,
  quarantine,
  imports,
  fsck,
  remoteServices,
  prompts,
  tags,
  facts,
] as const;
