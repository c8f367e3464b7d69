// Adds up minutes that were counted: numbers of events by name and step of time.

export interface EventRow<Name> {
  readonly name: Name;
  readonly total: number[];
  /** By event, then step. */
  readonly steps: number[][];
}

/** Numbers of events by name and step. */
export class EventTable<Name extends readonly string[]> {
  readonly #rows = new Map<string, EventRow<Name>>();

  /** `times`: begins of the steps, epoch ms. */
  constructor(
    private readonly events: number,
    private readonly times: readonly number[],
  ) {}

  add(name: Name, at: number, counts: readonly number[]): void {
    const row = this.find(name) ?? this.#newRow(name);
    const step = this.times.findLastIndex((begin) => begin <= at);
    for (const [event, count] of counts.entries()) {
      const ofEvent = row.steps[event];
      if (ofEvent === undefined || step < 0) continue;
      ofEvent[step] = (ofEvent[step] ?? 0) + count;
      row.total[event] = (row.total[event] ?? 0) + count;
    }
  }

  find(name: Name): EventRow<Name> | undefined {
    return this.#rows.get(name.join('\u0000'));
  }

  /** By event, then step. */
  sum(): number[][] {
    const sums = this.#noSteps();
    for (const { steps } of this.#rows.values()) {
      for (const [event, ofEvent] of steps.entries()) {
        for (const [step, count] of ofEvent.entries()) {
          const sum = sums[event] as number[];
          sum[step] = (sum[step] ?? 0) + count;
        }
      }
    }
    return sums;
  }

  /** Rows with the most events first. */
  most(rowsMax: number): EventRow<Name>[] {
    const sumOf = ({ total }: EventRow<Name>): number => total.reduce((sum, each) => sum + each, 0);
    return [...this.#rows.values()].sort((a, b) => sumOf(b) - sumOf(a)).slice(0, rowsMax);
  }

  #newRow(name: Name): EventRow<Name> {
    const row = { name, total: Array<number>(this.events).fill(0), steps: this.#noSteps() };
    this.#rows.set(name.join('\u0000'), row);
    return row;
  }

  #noSteps(): number[][] {
    return Array.from({ length: this.events }, () => this.times.map(() => 0));
  }
}
