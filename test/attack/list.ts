// What `npm run attack` tries. A further kind is a file with an AttackList and a line here. Floods
// are measured by a command of their own (measure-floods.ts), because they need a quiet machine.
import type { AttackList } from './attack.js';
import { rawAttacks } from './raw-requests.js';
import { routeAttacks } from './routes.js';
import { taskTypeAttacks } from './task-types.js';

export const attackLists: readonly AttackList[] = [routeAttacks, taskTypeAttacks, rawAttacks];
