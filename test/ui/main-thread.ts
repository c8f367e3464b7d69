// What the main thread of a page did for each frame, in processor time. A frame is dropped when its
// work takes longer than the time until the next one. On a shared machine wall time says how busy
// the others are; work in processor time says what would be dropped on a machine of one's own.
import type { CDPSession, Page } from 'playwright-core';

/** Processor time, ms. */
export interface MainThreadWork {
  /** Of each drawn frame: all tasks from its begin until that of the next one. */
  readonly frames: readonly number[];
  /** The longest single task: the page answers nothing during it. */
  readonly longestTask: number;
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Moment, us. */
  readonly ts: number;
  /** Processor time, us. */
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

const categories = ['devtools.timeline', 'disabled-by-default-devtools.timeline', '__metadata'];

/** Watches the page while `work` runs. */
export async function mainThreadWork(
  page: Page,
  work: () => Promise<unknown>,
): Promise<MainThreadWork> {
  const session = await page.context().newCDPSession(page);
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => {
    events.push(...(value as unknown as TraceEvent[]));
  });
  await session.send('Tracing.start', {
    traceConfig: { includedCategories: categories },
    transferMode: 'ReportEvents',
  });
  await work();
  await stopTracing(session);
  await session.detach();
  return workIn(events);
}

async function stopTracing(session: CDPSession): Promise<void> {
  const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
  await session.send('Tracing.end');
  await complete;
}

/** Throws when the trace has no frame of a page: then nothing was measured. */
function workIn(events: readonly TraceEvent[]): MainThreadWork {
  const begins = events.filter(({ name }) => name === 'FireAnimationFrame');
  const [first] = begins;
  if (first === undefined) throw new Error('The trace holds no frame');
  const tasks = events
    .filter(({ name, pid, tid }) => name === 'RunTask' && pid === first.pid && tid === first.tid)
    .sort((a, b) => a.ts - b.ts);
  const longestTask = Math.max(...tasks.map(processorMs));
  const frames: number[] = [];
  const moments = begins.map(({ ts }) => ts).sort((a, b) => a - b);
  let at = 0;
  for (const [index, moment] of moments.entries()) {
    const next = moments[index + 1] ?? Number.POSITIVE_INFINITY;
    let sum = 0;
    // The task of a frame begins before its callbacks are called.
    for (; at < tasks.length && (tasks[at + 1]?.ts ?? next) < next; at += 1) {
      if ((tasks[at + 1]?.ts ?? Number.POSITIVE_INFINITY) > moment) {
        sum += processorMs(tasks[at] as TraceEvent);
      }
    }
    if (next !== Number.POSITIVE_INFINITY) frames.push(sum);
  }
  return { frames, longestTask };
}

function processorMs({ tdur }: TraceEvent): number {
  if (tdur === undefined) throw new Error('The trace holds no processor times');
  return tdur / 1000;
}

/** The value below which `share` of them are. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
