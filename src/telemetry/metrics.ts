// The metrics of this node, kept and written by prom-client. They stand on the path of every
// request, so the counter of a label is created once and kept: a request costs 0.4 us, a batch of
// commits 0.25 us (`node bin/tool.mjs bench/metrics`).
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { metricNames, type MetricKey, type MetricName } from './metric-names.js';

export class Metrics {
  readonly #registry = new Registry();
  readonly #counters = new Map<MetricKey, Counter>();
  /** Counters of one label value, by metric and value. */
  readonly #labelled = new Map<MetricKey, Map<string, Counter.Internal>>();
  readonly #histograms = new Map<MetricKey, Histogram>();

  constructor() {
    const registers = [this.#registry];
    for (const [key, metric] of Object.entries(metricNames) as [MetricKey, MetricName][]) {
      const { name, help, label, buckets = [] } = metric;
      const labelNames = label === undefined ? [] : [label];
      if (metric.kind === 'counter') {
        this.#counters.set(key, new Counter({ name, help, labelNames, registers }));
        this.#labelled.set(key, new Map());
      } else if (metric.kind === 'histogram') {
        this.#histograms.set(key, new Histogram({ name, help, buckets: [...buckets], registers }));
      }
    }
  }

  /** Adds to a counter; `label` is the value of its label, '' where it has none. */
  count(key: MetricKey, label = '', by = 1): void {
    const known = this.#labelled.get(key)?.get(label);
    (known ?? this.#addCounter(key, label)).inc(by);
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
    return this.#registry.metrics();
  }

  #addCounter(key: MetricKey, label: string): Counter.Internal {
    const counter = this.#counters.get(key);
    if (counter === undefined) throw new TypeError(`${key} is no counter`);
    const { label: name }: MetricName = metricNames[key];
    const added = name === undefined || label === '' ? counter : counter.labels({ [name]: label });
    this.#labelled.get(key)?.set(label, added);
    return added;
  }
}
