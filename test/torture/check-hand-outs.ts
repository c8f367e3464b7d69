// What hand-outs must hold whatever was killed (invariants I5, I7): an attempt is with one worker
// at a time, and finished work is not handed out again. Judged from the journal alone.
import { groupByTask, type HandOutRecord, type Journal } from './journal.js';

/**
 * A lease may end for the server this much before the worker was told, by rounding and the clocks
 * of two processes.
 */
const leaseSlackMs = 500;

/** One sentence per violation. */
export function checkHandOuts(journal: Journal): string[] {
  return [...groupByTask(journal.handOuts).values()].flatMap((handOuts) => {
    const sorted = handOuts.toSorted((a, b) => a.receivedAt - b.receivedAt);
    return sorted
      .slice(1)
      .flatMap((later, i) => checkPair(sorted, sorted[i] as HandOutRecord, later));
  });
}

/** Two hand-outs of one attempt, one directly after the other. */
function checkPair(
  all: readonly HandOutRecord[],
  earlier: HandOutRecord,
  later: HandOutRecord,
): string[] {
  const { report } = earlier;
  const name = `task ${earlier.taskId} (${earlier.ref} of ${earlier.workflowId})`;
  const ms = (at: number): string => `${Math.round(at - earlier.receivedAt)} ms`;
  if (wasGivenBack(all, earlier, later)) return [];
  if (report?.acknowledgedAt !== undefined && report.acknowledgedAt < later.receivedAt) {
    return [
      `${name} was handed out ${ms(later.receivedAt)} after its first hand-out, although its ` +
        `report ${report.status} was acknowledged after ${ms(report.acknowledgedAt)}`,
    ];
  }
  if (later.receivedAt < earlier.askedAt + earlier.leaseMs - leaseSlackMs) {
    return [
      `${name} was handed out twice within its lease of ${earlier.leaseMs} ms: again after ` +
        `${ms(later.receivedAt)}; ${describeHistory(all)}`,
    ];
  }
  // The end of a lease ends the attempt; the next one has an id of its own.
  return [`${name} was handed out again, ${ms(later.receivedAt)} later, under the same id`];
}

/**
 * Whether a report gave the task back in between. It need not be that of the earlier hand-out: a
 * report whose outcome was unknown is repeated, and a repeated IN_PROGRESS gives the task back also
 * from the worker that has it by then, because a report names the task alone. One that was sent
 * once gives the task back once, from its own worker.
 */
export function wasGivenBack(
  all: readonly HandOutRecord[],
  earlier: HandOutRecord,
  later: HandOutRecord,
): boolean {
  return all.some(({ report }) => {
    if (report?.status !== 'IN_PROGRESS' || report.firstSentAt >= later.receivedAt) return false;
    if (report === earlier.report) return true;
    return report.attempts > 1 && (report.acknowledgedAt ?? Infinity) >= earlier.askedAt;
  });
}

function describeHistory(handOuts: readonly HandOutRecord[]): string {
  const when = (at: number): string => new Date(performance.timeOrigin + at).toISOString();
  return handOuts
    .map(({ receivedAt, report }) => {
      if (report === undefined) return `received ${when(receivedAt)}, not reported`;
      const { status, firstSentAt, attempts, acknowledgedAt } = report;
      const end =
        acknowledgedAt === undefined ? 'not answered' : `answered ${when(acknowledgedAt)}`;
      return `received ${when(receivedAt)}, ${status} sent ${when(firstSentAt)} ${attempts} times, ${end}`;
    })
    .join('; ');
}
