// The floods of floods.ts as a list of `npm run attack`: what others get beside each is judged by
// two figures that say the same on a busy machine. One is the processor time that the server used
// between question and answer. The other is how late the answer was without the time in which the
// server had no processor, against the same figure of the same run without a flood: disks differ.
import type { SecuredServer } from '../../testkit/secured-server.js';
import type { AttackList, AttackTarget } from './attack.js';
import { FloodMeter, type BesideFlood, type Kinds } from './flood-meter.js';
import { floods, type Flood } from './floods.js';

/**
 * Processor time, ms, that an answer may take beside a flood; and how much later it may be at p90
 * than without one. Of a hundred answers some wait for a thread of V8 that has no processor, of
 * which nothing tells.
 */
const msMax = { reads: 20, starts: 100 } as const;

/** How long each flood is measured, and which of the answers' processor times is judged. */
export interface Form {
  readonly seconds: number;
  readonly readsMin: number;
  readonly judged: 'p90' | 'p99';
  /** How many times as much an answer may take. */
  readonly slack: number;
}

const full: Form = { seconds: 10, readsMin: 500, judged: 'p99', slack: 1 };
/**
 * The second or third slowest of two hundred answers is that of one collection of memory of a
 * server that still compiles its code. So the short form judges the twentieth slowest: 12 ms for a
 * read beside forks and 21 beside bombs of starts at a load of 26 on two cores, and 1918 and 37
 * where rounds of turns have no end (shard/fair-turns.ts).
 */
const short: Form = { seconds: 1.5, readsMin: 200, judged: 'p90', slack: 1.5 };
const warmUp = { seconds: 1, readsMin: 100 };
const withoutFlood = { seconds: 2, readsMin: 200 };
/**
 * Processor time, ms, of a start without a flood on the machine that the bounds are for. On one
 * that takes longer, all of them are as much larger; but not more than so often.
 */
const startMsUsual = 4;
const slownessMax = 4;

export const floodAttacks: AttackList = {
  name: 'floods',
  async run({ server, isShort, tried, say }) {
    const form = isShort ? short : full;
    const chosen = floods.filter((each) => !isShort || each.isInShortForm);
    return findingsBeside(server, chosen, { form, tried, say });
  },
};

/** Carries floods out against a server, and says what others did not get beside them. */
export async function findingsBeside(
  server: SecuredServer,
  chosen: readonly Flood[],
  { tried, say, form = short }: Pick<AttackTarget, 'tried' | 'say'> & { readonly form?: Form },
): Promise<string[]> {
  const meter = await FloodMeter.on(server);
  await meter.quiet(warmUp);
  const quiet = await meter.quiet(withoutFlood);
  const judge = { ...form, quiet };
  say(`without a flood: ${describe({ beside: quiet }, judge)}`);
  const findings: string[] = [];
  for (const flood of chosen) {
    const result = await meter.beside(flood, form);
    tried(Object.values(result.counts).reduce((sum, count) => sum + count, 0));
    say(`${flood.name}: ${describe(result, judge)}`);
    findings.push(...faultsOf(flood, result, judge));
  }
  return findings;
}

export interface FloodJudge extends Pick<Form, 'judged' | 'slack'> {
  /** What others got from the same server without a flood. */
  readonly quiet: Kinds;
}

function describe({ beside }: Pick<BesideFlood, 'beside'>, { quiet, judged }: FloodJudge): string {
  const of = (kind: 'reads' | 'starts'): string => {
    const { count, work, served } = beside[kind];
    const without = `without a flood ${quiet[kind].served.p90}`;
    const used = `processor p50 ${work.p50} ${judged} ${work[judged]} max ${work.max}`;
    return `${count} ${kind}: ${used}, lateness p90 ${served.p90} (${without}) ms`;
  };
  return `${of('reads')}; ${of('starts')}`;
}

/** How many times slower than usual the machine is; 1 on a faster one. */
function slownessOf({ starts }: Kinds): number {
  return Math.min(slownessMax, Math.max(1, starts.work.p50 / startMsUsual));
}

/** A sentence for each way in which others, or controls, did not get through. */
export function faultsOf(
  { name }: Pick<Flood, 'name'>,
  result: BesideFlood,
  { quiet, judged, slack }: FloodJudge,
): string[] {
  const { beside, controls, counts } = result;
  const faults: string[] = [];
  const longer = slack * slownessOf(quiet);
  if (Object.keys(counts).length === 0) faults.push('the flood did nothing');
  for (const kind of ['reads', 'starts'] as const) {
    const { work, served, failed, count } = beside[kind];
    const most = Math.round(msMax[kind] * longer);
    if (failed > 0) faults.push(`${failed} of ${count} ${kind} of others failed`);
    if (work[judged] > most) {
      const used = `${work[judged]} ms of the processor at ${judged} of ${count}`;
      faults.push(`${kind} of others took ${used}, above ${most}`);
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
