// Settings of the areas beside executions that have no room of their own yet: vectors, human tasks;
// and how long events are tried.
import { integer } from './setting.js';

export const areaSettings = {
  vectorsPerIndexMax: integer(
    'Vectors that one namespace of an index may hold; a search compares them all',
    100_000,
    1,
  ),
  humanTasksLookedAtMax: integer(
    'Human tasks that one search looks at when no single facet answers it',
    20_000,
    100,
    1_000_000,
  ),
  stateEventSecondsMax: integer(
    'Seconds after which a state or status event is given up that its broker has not taken',
    86_400,
    10,
    2_592_000,
  ),
} as const;
