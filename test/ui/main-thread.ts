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

  /**
   * The most processor time between two readings while `work` runs, ms. Readings are taken one
   * after the other, and none while a task runs, so no task was longer.
   */
  async longestTask(work: () => Promise<unknown>): Promise<number> {
    let isOver = false;
    const worked = work().finally(() => (isOver = true));
    let longest = 0;
    let before = await this.busyMs();
    while (!isOver) {
      const after = await this.busyMs();
      longest = Math.max(longest, after - before);
      before = after;
    }
    await worked;
    return longest;
  }
}

/** The value below which `share` of them are. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
