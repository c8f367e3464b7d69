// The twins of the scripts, by the name of the script.
import { addWebhookEvent, claimDeliveries } from './outside-twins.js';
import { commit } from './commit-twin.js';
import { putHumanTask } from './human-twin.js';
import { pop } from './pop-twin.js';
import { confirm, finish, giveBack, push } from './queue-twins.js';
import { room } from './permit-twin.js';
import { advanceSchedules } from './schedule-twin.js';
import { clearDirty, readMany, setOwner, stage } from './small-twins.js';
import type { Twin } from './twin.js';

export type Twins = ReadonlyMap<string, Twin>;

export const twins: Twins = new Map<string, Twin>([
  ['add-webhook-event', addWebhookEvent],
  ['advance-schedules', advanceSchedules],
  ['claim-deliveries', claimDeliveries],
  ['clear-dirty', clearDirty],
  ['commit', commit],
  ['confirm', confirm],
  ['finish', finish],
  ['give-back', giveBack],
  ['pop', pop],
  ['push', push],
  ['put-human-task', putHumanTask],
  ['read-many', readMany],
  ['room', room],
  ['set-owner', setOwner],
  ['stage', stage],
]);
