// The areas that have a room of their own. This is the one place that names them.
import { schedules } from './schedules/area.js';

export const areas = [schedules] as const;
