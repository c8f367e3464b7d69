// The floods of floods.ts as a list of `npm run attack`: what others get beside each is judged by
// two figures that say the same on a busy machine. One is the processor time that the server used
// between question and answer. The other is how late the answer was without the time in which the
// server had no processor, against the same figure of the same run without a flood: disks differ.
import type { AttackList } from './attack.js';
import { FloodMeter, type BesideFlood, type Kinds } from './flood-meter.js';
import { floods, type Flood } from './floods.js';

/**
 * Processor time, ms, that an answer may take at p99 beside a flood; and how much later it may be
 * at p90 than without one. Of a hundred answers some wait for a thread of V8 that has no processor,
 * of which nothing tells.
 */
const msMax = { reads: 20, starts: 100 } as const;
/**
 * The short form sees a second and a half of a server that still compiles its code: its p99 is the
 * second or third slowest answer of all.
 */
const shortSlack = 2;
const seconds = { short: 1.5, full: 10 } as const;
/** Lets the server compile what every flood needs. */
const warmUpSeconds = 1;
/** What others get without a flood is measured for so long. */
const quietSeconds = 2;

export const floodAttacks: AttackList = {
  name: 'floods',
  about: 'what one caller does to take the node from all others, and what those get meanwhile',
  async run({ server, isShort, tried, say }) {
    const meter = await FloodMeter.on(server);
    await meter.quiet(warmUpSeconds);
    const quiet = await meter.quiet(quietSeconds);
    const findings: string[] = [];
    for (const flood of floods.filter((each) => !isShort || each.isInShortForm)) {
      const result = await meter.beside(flood, isShort ? seconds.short : seconds.full);
      tried(Object.values(result.counts).reduce((sum, count) => sum + count, 0));
      say(`${flood.name}: ${describe(result, quiet)}`);
      findings.push(...faultsOf(flood, result, { slack: isShort ? shortSlack : 1, quiet }));
    }
    return findings;
  },
};

function describe({ beside }: BesideFlood, quiet: Kinds): string {
  const { reads, starts } = beside;
  const of = (kind: 'reads' | 'starts'): string =>
    `${beside[kind].served.p90} (without a flood ${quiet[kind].served.p90})`;
  const work = `work p99 of reads ${reads.work.p99} ms, of starts ${starts.work.p99} ms`;
  return `${work}; lateness p90 ${of('reads')} and ${of('starts')} ms`;
}

/** A sentence for each way in which others, or controls, did not get through. */
export function faultsOf(
  { name }: Pick<Flood, 'name'>,
  result: BesideFlood,
  { slack, quiet }: { readonly slack: number; readonly quiet: Kinds },
): string[] {
  const { beside, controls, counts } = result;
  const faults: string[] = [];
  if (Object.keys(counts).length === 0) faults.push('the flood did nothing');
  for (const kind of ['reads', 'starts'] as const) {
    const { work, served, failed, count } = beside[kind];
    const most = msMax[kind] * slack;
    if (failed > 0) faults.push(`${failed} of ${count} ${kind} of others failed`);
    if (work.p99 > most) {
      faults.push(`${kind} of others took ${work.p99} ms of the processor at p99, above ${most}`);
    }
    const without = quiet[kind].served.p90;
    if (served.p90 > without + most) {
      faults.push(
        `${kind} of others were ${served.p90} ms late at p90, ${without} without it: more than ${most} later`,
      );
    }
  }
  const stuck = controls.filter((ms) => ms === Infinity).length;
  if (stuck > 0) faults.push(`${stuck} of ${controls.length} terminates did not get through`);
  return faults.map((fault) => `${name}: ${fault}`);
}
