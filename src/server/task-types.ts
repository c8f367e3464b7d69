// The task types that the server runs itself, without those of plug-ins: those that no area owns,
// and those that areas bring.
import { areas } from '../areas/list.js';
import type { Area } from '../areas/area.js';
import { ownTaskTypes } from '../system-task/list.js';
import type { SystemTaskType } from '../system-task/system-task.js';

export const serverTaskTypes: readonly SystemTaskType[] = [
  ...ownTaskTypes,
  ...areas.flatMap(({ taskTypes = [] }: Pick<Area, 'taskTypes'>) => taskTypes),
];
