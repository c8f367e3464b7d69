// The expressions of the Grafana board, the alert rules and the rules of the adapter in deploy/.
import fs from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { projectRoot } from '../../testkit/project.js';

/** Where it stands (alert, panel, series), and the expression. */
export type Placed = readonly [place: string, expression: string];

const read = (name: string): string =>
  fs.readFileSync(path.join(projectRoot, 'deploy', name), 'utf8');

const rules = parse(read('prometheus/alerts.yaml')) as {
  readonly groups: readonly { readonly rules: readonly { alert: string; expr: string }[] }[];
};
const board = JSON.parse(read('grafana/downbeat.json')) as {
  readonly panels: readonly { title: string; targets: readonly { expr: string }[] }[];
};
const adapter = parse(read('prometheus/adapter.yaml')) as {
  readonly externalRules: readonly { seriesQuery: string; metricsQuery: string }[];
};

export const alerts: readonly Placed[] = rules.groups.flatMap((group) =>
  group.rules.map(({ alert, expr }) => [alert, expr] as const),
);

/** With the variables of Grafana. */
export const boardExpressions: readonly Placed[] = board.panels.flatMap(({ title, targets }) =>
  targets.map(({ expr }) => [title, expr] as const),
);

/** Without the labels that the adapter fills in. */
export const adapterExpressions: readonly Placed[] = adapter.externalRules.map(
  ({ seriesQuery, metricsQuery }) =>
    [seriesQuery, metricsQuery.replace('{<<.LabelMatchers>>}', '')] as const,
);
