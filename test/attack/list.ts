// What `npm run attack` tries. A further kind is a file with an AttackList and a line here.
import type { AttackList } from './attack.js';
import { floodAttacks } from './flood-attacks.js';
import { rawAttacks } from './raw-requests.js';
import { routeAttacks } from './routes.js';
import { taskTypeAttacks } from './task-types.js';

export const attackLists: readonly AttackList[] = [
  routeAttacks,
  taskTypeAttacks,
  rawAttacks,
  floodAttacks,
];
