// Counters, gauges and histograms in memory, written as Prometheus text. An increment is a map
// look-up and an addition.
import { metricNames, type MetricKey, type MetricName } from './metric-names.js';

interface Histogram {
  readonly bounds: readonly number[];
  readonly counts: number[];
  sum: number;
  count: number;
}

export class Metrics {
  readonly #counters = new Map<MetricKey, Map<string, number>>();
  readonly #histograms = new Map<MetricKey, Histogram>();
  readonly #gauges: { key: MetricKey; read: () => number | Record<string, number> }[] = [];

  /** Adds to a counter; `label` is the value of its label, '' where it has none. */
  count(key: MetricKey, label = '', by = 1): void {
    let values = this.#counters.get(key);
    if (values === undefined) this.#counters.set(key, (values = new Map()));
    values.set(label, (values.get(label) ?? 0) + by);
  }

  observe(key: MetricKey, value: number): void {
    let histogram = this.#histograms.get(key);
    if (histogram === undefined) {
      const { buckets = [] }: MetricName = metricNames[key];
      histogram = {
        bounds: buckets,
        counts: new Array<number>(buckets.length).fill(0),
        sum: 0,
        count: 0,
      };
      this.#histograms.set(key, histogram);
    }
    histogram.sum += value;
    histogram.count += 1;
    const { bounds, counts } = histogram;
    for (let i = 0; i < bounds.length; i += 1) {
      if (value <= (bounds[i] as number)) {
        counts[i] = (counts[i] as number) + 1;
        return;
      }
    }
  }

  /** `read` is asked when the page is written; a record gives one value per value of the label. */
  gauge(key: MetricKey, read: () => number | Record<string, number>): void {
    this.#gauges.push({ key, read });
  }

  /** Prometheus text format 0.0.4. */
  text(): string {
    const lines: string[] = [];
    for (const [key, values] of this.#counters) {
      head(lines, metricNames[key]);
      for (const [label, value] of values) lines.push(sample(metricNames[key], label, value));
    }
    for (const { key, read } of this.#gauges) {
      head(lines, metricNames[key]);
      const value = read();
      if (typeof value === 'number') lines.push(sample(metricNames[key], '', value));
      else {
        for (const [label, one] of Object.entries(value)) {
          lines.push(sample(metricNames[key], label, one));
        }
      }
    }
    for (const [key, histogram] of this.#histograms)
      writeHistogram(lines, metricNames[key], histogram);
    return `${lines.join('\n')}\n`;
  }
}

function head(lines: string[], metric: MetricName): void {
  lines.push(`# HELP ${metric.name} ${metric.help}`, `# TYPE ${metric.name} ${metric.kind}`);
}

function sample(metric: MetricName, label: string, value: number): string {
  if (metric.label === undefined || label === '') return `${metric.name} ${value}`;
  return `${metric.name}{${metric.label}="${label.replace(/[\\"\n]/g, '_')}"} ${value}`;
}

function writeHistogram(lines: string[], metric: MetricName, histogram: Histogram): void {
  head(lines, metric);
  let below = 0;
  for (const [i, bound] of histogram.bounds.entries()) {
    below += histogram.counts[i] ?? 0;
    lines.push(`${metric.name}_bucket{le="${bound}"} ${below}`);
  }
  lines.push(
    `${metric.name}_bucket{le="+Inf"} ${histogram.count}`,
    `${metric.name}_sum ${histogram.sum}`,
    `${metric.name}_count ${histogram.count}`,
  );
}
