// The figures of peers side by side: one line for each kind of figure, the winner named.
import { spreadOf, type Spread } from '../suite/report.js';
import type { PeerRun } from './contract.js';

export interface PeerFigures {
  readonly name: string;
  readonly settings: string;
  /** Under load, then one execution at a time. */
  readonly loaded: readonly PeerRun[];
  readonly alone: readonly PeerRun[];
}

export interface PeerRow {
  readonly figure: string;
  /** By peer, in the order of the figures. */
  readonly values: readonly Spread[];
  /** Of this peer by the first one, in pairs of runs. */
  readonly ratios: readonly Spread[];
  readonly winner: string;
}

interface Kind {
  readonly figure: string;
  readonly of: (figures: PeerFigures) => number[];
  readonly isMoreBetter: boolean;
}

const allUs = ({ serverUs, redisUs, clientUs }: PeerRun): number => serverUs + redisUs + clientUs;

const kinds: readonly Kind[] = [
  {
    figure: 'tasks a second under load',
    of: ({ loaded }) => loaded.map(({ tasks, elapsedMs }) => (tasks * 1000) / elapsedMs),
    isMoreBetter: true,
  },
  {
    figure: 'processor time of a task under load, all processes, us',
    of: ({ loaded }) => loaded.map(allUs),
    isMoreBetter: false,
  },
  {
    figure: 'the same without clients, us',
    of: ({ loaded }) => loaded.map(({ serverUs, redisUs }) => serverUs + redisUs),
    isMoreBetter: false,
  },
  {
    figure: 'a step with nothing else to do, ms',
    of: ({ alone }) => alone.map(({ tasks, elapsedMs }) => elapsedMs / tasks),
    isMoreBetter: false,
  },
];

export function peerRows(peers: readonly PeerFigures[]): PeerRow[] {
  return kinds.map(({ figure, of, isMoreBetter }) => {
    const all = peers.map(of);
    const [first = []] = all;
    const values = all.map(spreadOf);
    const better = isMoreBetter
      ? (a: Spread, b: Spread): boolean => a.median > b.median
      : (a: Spread, b: Spread): boolean => a.median < b.median;
    const best = values.reduce(
      (index, value, i) => (better(value, values[index] as Spread) ? i : index),
      0,
    );
    return {
      figure,
      values,
      ratios: all.map((each) => spreadOf(each.map((value, run) => value / (first[run] ?? value)))),
      winner: peers[best]?.name ?? '',
    };
  });
}

export function peerLines(peers: readonly PeerFigures[]): string[] {
  const heads = ['figure', ...peers.map(({ name }) => name), 'winner'];
  const rows = peerRows(peers).map(({ figure, values, ratios, winner }) => [
    figure,
    ...values.map((value, i) => cellOf(value, i === 0 ? undefined : ratios[i])),
    winner,
  ]);
  return [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
}

function cellOf({ median }: Spread, ratio: Spread | undefined): string {
  const value = median >= 100 ? median.toFixed(0) : median.toPrecision(3);
  if (ratio === undefined) return value;
  const [middle, least, greatest] = [ratio.median, ratio.least, ratio.greatest].map((one) =>
    one.toPrecision(3),
  );
  return `${value}: ${middle} times (${least} to ${greatest})`;
}

export function peerHtml(peers: readonly PeerFigures[], told: readonly string[]): string {
  const [heads = '', , ...rows] = peerLines(peers);
  const line = (tag: string, text: string): string => {
    const cells = text.slice(2, -2).split(' | ');
    return `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`;
  };
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Side by side</title>
<style>body{font:14px system-ui;margin:2rem}table{border-collapse:collapse}td,th{border:1px solid #ccc;padding:.3rem .6rem;text-align:left}</style>
<h1>Side by side: chains of five</h1>
${told.map((text) => `<p>${text}</p>`).join('\n')}
<table>${line('th', heads)}
${rows.map((row) => line('td', row)).join('\n')}
</table></html>
`;
}
