// Collects how long requests took and tells percentiles.

export class Latencies {
  private values = new Float64Array(4096);
  private count = 0;

  /** Milliseconds. */
  add(ms: number): void {
    if (this.count === this.values.length) {
      const larger = new Float64Array(this.values.length * 2);
      larger.set(this.values);
      this.values = larger;
    }
    this.values[this.count++] = ms;
  }

  /** The middle one, ms; NaN of none. */
  get p50(): number {
    return percentile(this.values.slice(0, this.count).sort(), 0.5);
  }

  /** Those that count when others are disturbed, ms; NaN of none. */
  get high(): { readonly p99: number; readonly p999: number } {
    const sorted = this.values.slice(0, this.count).sort();
    return { p99: percentile(sorted, 0.99), p999: percentile(sorted, 0.999) };
  }

  /** For example "p50 0.41 p95 0.90 p99 1.52 p99.9 2.10 max 4.00 ms (20000)". */
  describe(): string {
    if (this.count === 0) return 'none';
    const sorted = this.values.slice(0, this.count).sort();
    const at = (share: number): string => percentile(sorted, share).toFixed(2);
    const high = `p99 ${at(0.99)} p99.9 ${at(0.999)} max ${at(1)} ms`;
    return `p50 ${at(0.5)} p95 ${at(0.95)} ${high} (${this.count})`;
  }
}

/** The value below which `share` (0 to 1) of the ascending values lie; NaN of none. */
export function percentile(sorted: ArrayLike<number>, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** The middle one of the values. */
export function median(values: readonly number[]): number {
  return percentile(
    [...values].sort((a, b) => a - b),
    0.5,
  );
}
