// The metrics of this node, written by prom-client. They stand on the path of every request, so
// counting is an addition, and the library is told of it when the page is written
// (`node bin/tool.mjs bench/metrics`).
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import { BucketCounts } from './bucket-counts.js';
import type { LoopLag, SeenLag } from './loop-lag.js';
import { metricNames, type MetricKey, type MetricName } from './metric-names.js';

/** The longest time a timer can have: prom-client's own never comes. */
const neverMs = 2 ** 31 - 1;

/** The readings of prom-client about the event loop, in seconds. */
const lagOfLibrary: readonly [name: string, help: string, read: (seen: SeenLag) => number][] = [
  ['nodejs_eventloop_lag_seconds', 'Lag of the event loop', ({ mean }) => mean],
  ['nodejs_eventloop_lag_min_seconds', 'Shortest lag of the event loop', ({ min }) => min],
  ['nodejs_eventloop_lag_max_seconds', 'Longest lag of the event loop', ({ max }) => max],
  ['nodejs_eventloop_lag_mean_seconds', 'Mean lag of the event loop', ({ mean }) => mean],
  ['nodejs_eventloop_lag_stddev_seconds', 'Its standard deviation', ({ stddev }) => stddev],
  ['nodejs_eventloop_lag_p50_seconds', 'Median lag of the event loop', ({ p50 }) => p50],
  ['nodejs_eventloop_lag_p90_seconds', '90th percentile of the lag', ({ p90 }) => p90],
  ['nodejs_eventloop_lag_p99_seconds', '99th percentile of the lag', ({ p99 }) => p99],
];

/** A counter of one label value. */
export class Tally {
  #pending = 0;

  add(by = 1): void {
    this.#pending += by;
  }

  /** The count since the last call. */
  take(): number {
    const pending = this.#pending;
    this.#pending = 0;
    return pending;
  }
}

/** Metrics by the keys of their declarations. */
export type MetricTable<K extends string> = Readonly<Record<K, MetricName>>;

export class MetricSet<K extends string> {
  readonly #counters = new Map<K, Counter>();
  /** By metric and label value. */
  readonly #tallies = new Map<K, Map<string, Tally>>();
  readonly #histograms = new Map<K, BucketCounts>();

  constructor(
    private readonly table: MetricTable<K>,
    protected readonly registry: Registry,
  ) {
    const registers = [registry];
    for (const [key, metric] of Object.entries(table) as [K, MetricName][]) {
      const { name, help, label, buckets = [] } = metric;
      const labelNames = [...(metric.labels ?? (label === undefined ? [] : [label]))];
      if (metric.kind === 'counter') {
        this.#counters.set(key, new Counter({ name, help, labelNames, registers }));
        this.#tallies.set(key, new Map());
      } else if (metric.kind === 'histogram') {
        const histogram = new BucketCounts(name, help, buckets, label);
        this.registry.registerMetric(histogram.asMetric());
        this.#histograms.set(key, histogram);
      }
    }
  }

  /** Adds to a counter; `label` is the value of its label, '' where it has none. */
  count(key: K, label = '', by = 1): void {
    this.tally(key, label).add(by);
  }

  /** The counter of a label value, for who counts often. */
  tally(key: K, label = ''): Tally {
    const tallies = this.#tallies.get(key);
    if (tallies === undefined) throw new TypeError(`${key} is no counter`);
    let tally = tallies.get(label);
    if (tally === undefined) tallies.set(label, (tally = new Tally()));
    return tally;
  }

  observe(key: K, value: number): void {
    this.#histograms.get(key)?.observe(value);
  }

  /** In a histogram with a label, as often as `times` says. */
  observeAs(key: K, labelValue: string, value: number, times: number): void {
    this.#histograms.get(key)?.observeAs(labelValue, value, times);
  }

  /**
   * `read` is called when the page is written; a record gives one value per value of the label.
   */
  gauge(key: K, read: () => number | Record<string, number>): void {
    const { name, help, label }: MetricName = this.table[key];
    const setEach = (values: Record<string, number>): void => {
      // A label that is gone has no value, not its last one.
      gauge.reset();
      for (const [value, one] of Object.entries(values))
        gauge.set({ [label as string]: value }, one);
    };
    const gauge: Gauge = new Gauge({
      name,
      help,
      labelNames: label === undefined ? [] : [label],
      registers: [this.registry],
      collect: (): void => {
        const value = read();
        if (typeof value === 'number') gauge.set(value);
        else setEach(value);
      },
    });
  }

  /** Tells the library what was counted since the last call. */
  addUp(): void {
    for (const [key, tallies] of this.#tallies) {
      for (const [label, tally] of tallies) this.#addUp(key, label, tally.take());
    }
  }

  #addUp(key: K, label: string, by: number): void {
    const counter = this.#counters.get(key);
    const { label: name, labels }: MetricName = this.table[key];
    if (labels !== undefined) {
      const values = label.split('\n');
      const named = labels.map((each, index) => [each, values[index] ?? '']);
      counter?.labels(Object.fromEntries(named) as Record<string, string>).inc(by);
    } else if (name === undefined || label === '') counter?.inc(by);
    else counter?.labels({ [name]: label }).inc(by);
  }
}

/** The metrics of the server, and of the areas as they open. */
export class Metrics extends MetricSet<MetricKey> {
  readonly #sets: { addUp(): void }[] = [this];
  #beforeText: () => void = () => undefined;

  constructor() {
    super(metricNames, new Registry());
  }

  /** The metrics of another table on the same page. */
  of<K extends string>(table: MetricTable<K>): MetricSet<K> {
    const set = new MetricSet(table, this.registry);
    this.#sets.push(set);
    return set;
  }

  /**
   * Adds what prom-client knows of the process: processor, memory, collections. The lag of the
   * event loop is `loopLag`, under the names of prom-client too, which would wake the process a
   * hundred times a second to measure it.
   */
  collectProcess(loopLag: LoopLag): void {
    collectDefaultMetrics({ register: this.registry, eventLoopMonitoringPrecision: neverMs });
    let seen = loopLag.take();
    this.#beforeText = () => (seen = loopLag.take());
    this.gauge('loopLagSeconds', () => ({
      p50: seen.p50 / 1e3,
      p99: seen.p99 / 1e3,
      max: seen.max / 1e3,
    }));
    for (const [name, help, read] of lagOfLibrary) {
      this.registry.removeSingleMetric(name);
      const gauge: Gauge = new Gauge({
        name,
        help,
        registers: [this.registry],
        collect: () => gauge.set(read(seen) / 1e3),
      });
    }
  }

  /** Prometheus text format 0.0.4. */
  text(): Promise<string> {
    this.#beforeText();
    for (const set of this.#sets) set.addUp();
    return this.registry.metrics();
  }
}
