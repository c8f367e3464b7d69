// The figures of a run of the suite, as lines, as JSON and as a page of HTML.
import os from 'node:os';
import { median } from '../latencies.js';
import type { Found } from './contract.js';

/** Middle, least and greatest of several runs. */
export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly greatest: number;
}

export interface Row {
  readonly workload: string;
  readonly about: string;
  readonly subject: string;
  readonly runs: number;
  readonly figures: Readonly<Record<string, Spread>>;
  readonly multipleOf?: string;
  readonly multiple?: Spread;
  /** Processor time or time of this subject by that of the first one, in pairs of runs. */
  readonly againstFirst?: Spread;
  readonly wrong: readonly string[];
}

export interface Report {
  readonly day: string;
  readonly machine: string;
  readonly node: string;
  readonly command: string;
  readonly sizes: object;
  readonly rows: readonly Row[];
}

export function machineText(): string {
  const model = os.cpus()[0]?.model ?? 'unknown processor';
  return `${os.cpus().length} cores of ${model}, ${os.release()}, load ${os
    .loadavg()
    .map((one) => one.toFixed(1))
    .join(' ')}`;
}

export function spreadOf(values: readonly number[]): Spread {
  return { median: median(values), least: Math.min(...values), greatest: Math.max(...values) };
}

/** One row of what several runs found; `first` is what those of the first subject found. */
export function rowOf(
  { name: workload, about }: { name: string; about: string },
  subject: string,
  runs: readonly Found[],
  first: readonly Found[],
): Row {
  const names = Object.keys(runs[0]?.figures ?? {});
  const multiples = runs.flatMap(({ multiple }) => (multiple === undefined ? [] : [multiple]));
  const pairs = runs.flatMap(({ multiple }, i) => {
    const other = first[i]?.multiple;
    return multiple === undefined || other === undefined ? [] : [multiple.value / other.value];
  });
  return {
    ...{ workload, about, subject, runs: runs.length },
    figures: Object.fromEntries(
      names.map((name) => [name, spreadOf(runs.map(({ figures }) => figures[name] ?? NaN))]),
    ),
    ...(multiples.length > 0 && {
      multipleOf: multiples[0]?.of ?? '',
      multiple: spreadOf(multiples.map(({ value }) => value)),
    }),
    ...(runs !== first && pairs.length > 0 && { againstFirst: spreadOf(pairs) }),
    wrong: runs.flatMap(({ wrong }) => wrong),
  };
}

export function describeRow(row: Row): string {
  const figures = Object.entries(row.figures).map(
    ([name, { median: value }]) => `${short(value)} ${name}`,
  );
  const multiple =
    row.multiple === undefined
      ? []
      : [`${spreadText(row.multiple)} times the floor's ${row.multipleOf}`];
  const against =
    row.againstFirst === undefined ? [] : [`${spreadText(row.againstFirst)} times the first one's`];
  return [...figures, ...multiple, ...against, ...row.wrong.map((one) => `WRONG: ${one}`)].join(
    '; ',
  );
}

function short(value: number): string {
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

function spreadText({ median: middle, least, greatest }: Spread): string {
  const [a, b, c] = [middle, least, greatest].map((value) => value.toFixed(2));
  return least === greatest ? `${a}` : `${a} (${b} to ${c})`;
}

export function htmlOf(report: Report): string {
  const cells = (row: Row): string[] => [
    row.workload,
    row.subject,
    Object.entries(row.figures)
      .map(([name, spread]) => `${short(spread.median)} ${name}`)
      .join('<br>'),
    row.multiple === undefined ? '' : `${spreadText(row.multiple)}<br>of ${row.multipleOf}`,
    row.againstFirst === undefined ? '' : spreadText(row.againstFirst),
    row.wrong.length === 0 ? 'right' : row.wrong.map(escaped).join('<br>'),
  ];
  const heads = [
    'workload',
    'build',
    'figures (median)',
    'multiple of the floor',
    'against the first',
    'results',
  ];
  const line = (tag: 'td' | 'th', values: readonly string[]): string =>
    `<tr>${values.map((value) => `<${tag}>${value}</${tag}>`).join('')}</tr>`;
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Downbeat: figures of ${report.day}</title>
<style>body{font:14px system-ui;margin:2rem}table{border-collapse:collapse}td,th{border:1px solid #ccc;padding:.3rem .6rem;text-align:left;vertical-align:top}</style>
<h1>Downbeat: figures of ${report.day}</h1>
<p>${escaped(report.machine)}; Node ${report.node}. <code>${escaped(report.command)}</code></p>
<table>${line('th', heads)}
${report.rows.map((row) => line('td', cells(row))).join('\n')}
</table></html>
`;
}

function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}
