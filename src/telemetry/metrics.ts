// The metrics of this node, written by prom-client. They stand on the path of every request, so
// counting is an addition, and the library is told of it when the page is written
// (`node bin/tool.mjs bench/metrics`).
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import { BucketCounts } from './bucket-counts.js';
import { metricNames, type MetricKey, type MetricName } from './metric-names.js';

/** A counter of one label value. */
export class Tally {
  #pending = 0;

  add(by = 1): void {
    this.#pending += by;
  }

  /** What has come since the last time. */
  take(): number {
    const pending = this.#pending;
    this.#pending = 0;
    return pending;
  }
}

export class Metrics {
  readonly #registry = new Registry();
  readonly #counters = new Map<MetricKey, Counter>();
  /** By metric and label value. */
  readonly #tallies = new Map<MetricKey, Map<string, Tally>>();
  readonly #histograms = new Map<MetricKey, BucketCounts>();

  constructor() {
    const registers = [this.#registry];
    for (const [key, metric] of Object.entries(metricNames) as [MetricKey, MetricName][]) {
      const { name, help, label, buckets = [] } = metric;
      const labelNames = label === undefined ? [] : [label];
      if (metric.kind === 'counter') {
        this.#counters.set(key, new Counter({ name, help, labelNames, registers }));
        this.#tallies.set(key, new Map());
      } else if (metric.kind === 'histogram') {
        const histogram = new BucketCounts(name, help, buckets);
        this.#registry.registerMetric(histogram.asMetric());
        this.#histograms.set(key, histogram);
      }
    }
  }

  /** Adds to a counter; `label` is the value of its label, '' where it has none. */
  count(key: MetricKey, label = '', by = 1): void {
    this.tally(key, label).add(by);
  }

  /** The counter of a label value, for who counts often. */
  tally(key: MetricKey, label = ''): Tally {
    const tallies = this.#tallies.get(key);
    if (tallies === undefined) throw new TypeError(`${key} is no counter`);
    let tally = tallies.get(label);
    if (tally === undefined) tallies.set(label, (tally = new Tally()));
    return tally;
  }

  observe(key: MetricKey, value: number): void {
    this.#histograms.get(key)?.observe(value);
  }

  /**
   * `read` is called when the page is written; a record gives one value per value of the label.
   */
  gauge(key: MetricKey, read: () => number | Record<string, number>): void {
    const { name, help, label }: MetricName = metricNames[key];
    const setEach = (values: Record<string, number>): void => {
      for (const [value, one] of Object.entries(values))
        gauge.set({ [label as string]: value }, one);
    };
    const gauge: Gauge = new Gauge({
      name,
      help,
      labelNames: label === undefined ? [] : [label],
      registers: [this.#registry],
      collect: (): void => {
        const value = read();
        if (typeof value === 'number') gauge.set(value);
        else setEach(value);
      },
    });
  }

  /** Adds what prom-client knows of the process: processor, memory, collections, event loop. */
  collectProcess(): void {
    collectDefaultMetrics({ register: this.#registry });
  }

  /** Prometheus text format 0.0.4. */
  text(): Promise<string> {
    for (const [key, tallies] of this.#tallies) {
      for (const [label, tally] of tallies) this.#addUp(key, label, tally.take());
    }
    return this.#registry.metrics();
  }

  #addUp(key: MetricKey, label: string, by: number): void {
    const counter = this.#counters.get(key);
    const { label: name }: MetricName = metricNames[key];
    if (name === undefined || label === '') counter?.inc(by);
    else counter?.labels({ [name]: label }).inc(by);
  }
}
