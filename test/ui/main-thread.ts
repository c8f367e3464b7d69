// What the main thread of a page does for each frame, in processor time. A frame is dropped when
// its work takes longer than the time until the next one. On a shared machine wall time says how
// busy the others are; processor time says what would be dropped on a machine of one's own. The
// browser counts it for all tasks that have ended, so two readings tell what lay between them.
import type { CDPSession, Page } from 'playwright-core';

export class MainThread {
  private constructor(
    private readonly page: Page,
    private readonly session: CDPSession,
  ) {}

  static async watch(page: Page): Promise<MainThread> {
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    return new MainThread(page, session);
  }

  /** Processor time of all tasks until now, ms. */
  async busyMs(): Promise<number> {
    const { metrics } = await this.session.send('Performance.getMetrics');
    const seconds = metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN;
    return seconds * 1000;
  }

  /** Processor time of each of `count` frames, ms; `step` is a script that changes the page. */
  async frames(count: number, step: string): Promise<number[]> {
    const drawn = `new Promise((done) => {
      requestAnimationFrame(() => { ${step}; requestAnimationFrame(() => done()); });
    })`;
    const works: number[] = [];
    let before = await this.busyMs();
    for (let frame = 0; frame < count; frame += 1) {
      await this.page.evaluate(drawn);
      const after = await this.busyMs();
      works.push(after - before);
      before = after;
    }
    return works;
  }

  /** Processor time of the longest task while `work` runs, ms, out of the browser's own trace. */
  async longestTask(work: () => Promise<unknown>): Promise<number> {
    const browser = this.page.context().browser();
    if (browser === null) throw new Error('The page has no browser to trace');
    await browser.startTracing(this.page, { categories: [taskCategory] });
    await work();
    const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as Trace;
    const threadOf = ({ pid, tid }: TraceEvent): string => `${pid}:${tid}`;
    const isMain = ({ name, args }: TraceEvent): boolean =>
      name === 'thread_name' && args?.name === 'CrRendererMain';
    const mainThreads = new Set(traceEvents.filter(isMain).map(threadOf));
    const tasks = traceEvents.filter((event) => {
      return event.name === 'RunTask' && mainThreads.has(threadOf(event));
    });
    if (tasks.length === 0) throw new Error('The trace holds no task');
    return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1000;
  }
}

/** What the browser writes a task down for. */
const taskCategory = 'disabled-by-default-devtools.timeline';

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly args?: { readonly name?: string };
  /** Processor time, us. */
  readonly tdur?: number;
}

interface Trace {
  readonly traceEvents: readonly TraceEvent[];
}

/** The value below which `share` of them are. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
