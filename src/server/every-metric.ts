// The metrics of the server: those of the kernel, and those that areas declare.
import { areas } from '../areas/list.js';
import type { Area } from '../areas/area.js';
import { metricNames, type MetricName } from '../telemetry/metric-names.js';

export const everyMetric: readonly MetricName[] = [
  ...Object.values(metricNames),
  ...areas.flatMap(({ metrics = {} }: Pick<Area, 'metrics'>) => Object.values(metrics)),
];
