// Sources of what is due at a time of a clock: wake-ups of executions, ends of leases, schedules.
// They ring by timers of their own; a test server, whose clock is moved by hand, asks here what
// comes next and tells them that time has moved.
import type { Clock } from './clock.js';

export interface DueSource {
  /** Time of what is due first, epoch ms; Infinity: nothing. */
  nextDueAt(): number | Promise<number>;
  /**
   * The same without what may be out of date: a clock that moves by itself goes on for this.
   * Absent: it does not move for this source alone, as for schedules, which would never end.
   */
  drawsAt?(): number | Promise<number>;
  /** Looks at once at what is due by now. */
  timeMoved(): void | Promise<void>;
}

const sources = new WeakMap<Clock, Set<DueSource>>();

export function addDueSource(clock: Clock, source: DueSource): void {
  const known = sources.get(clock);
  if (known === undefined) sources.set(clock, new Set([source]));
  else known.add(source);
}

export function removeDueSource(clock: Clock, source: DueSource): void {
  sources.get(clock)?.delete(source);
}

export function dueSourcesOf(clock: Clock): readonly DueSource[] {
  return [...(sources.get(clock) ?? [])];
}
